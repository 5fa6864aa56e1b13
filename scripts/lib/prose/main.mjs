// `./scripts/prose` and the prose check of `./scripts/test`. Exits with 1 when there is something to correct.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { formatAllowance, lowered, overAllowance, parseAllowance } from './allowance.mjs'
import { proseFiles } from './files.mjs'
import { hitsIn, rules } from './index.mjs'

const usage = `Usage: ./scripts/prose [PATH ...]
Prints each sentence that breaks a prose rule. Without PATH: the whole repository.

  --check    compare with scripts/prose-allowance.txt; print files with more hits than allowed
  --lower    write today's lower counts to scripts/prose-allowance.txt; never raises one
  --summary  print the number of hits per folder and per rule
  --rules    print the rules with an example and a replacement of each
`

const root = path.resolve(import.meta.dirname, '..', '..', '..')
const allowanceFile = path.join(root, 'scripts', 'prose-allowance.txt')
const print = (text) => process.stdout.write(text)

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: Object.fromEntries(
        ['check', 'lower', 'summary', 'rules', 'help'].map((name) => [name, { type: 'boolean' }]),
      ),
    })
    return { ...values, paths: positionals.map((name) => path.resolve(name)) }
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}`)
    return null
  }
}

function readHits(paths) {
  const files = paths.length === 0 ? proseFiles(root) : paths.flatMap((from) => proseFiles(root, from))
  return new Map(files.map((file) => [file, hitsIn(file, readFileSync(path.join(root, file), 'utf8'))]))
}

const printHits = (file, hits) => {
  for (const { line, column, rule, text, better } of hits)
    print(`${file}:${line}:${column}  ${rule}: "${text}"\n    write for example: ${better}\n`)
}

const total = (hits) => [...hits.values()].reduce((sum, list) => sum + list.length, 0)

function printCounts(counts) {
  for (const [name, count] of [...counts].sort((a, b) => b[1] - a[1]))
    print(`${String(count).padStart(6)}  ${name}\n`)
}

function printSummary(hits) {
  const folders = new Map()
  const byRule = new Map()
  const add = (counts, name, count) => counts.set(name, (counts.get(name) ?? 0) + count)
  for (const [file, list] of hits) {
    if (list.length > 0) add(folders, file.split('/').slice(0, 3).slice(0, -1).join('/') || file, list.length)
    for (const { rule } of list) add(byRule, rule, 1)
  }
  printCounts(folders)
  print('\n')
  printCounts(byRule)
}

function check(hits, allowed) {
  const over = overAllowance(allowed, countsOf(hits))
  for (const file of over) {
    print(`${file}: ${hits.get(file).length} hits, ${allowed.get(file) ?? 0} allowed\n`)
    printHits(file, hits.get(file))
  }
  const left = [...allowed.values()].reduce((sum, count) => sum + count, 0)
  print(`prose: ${total(hits)} hits, ${left} allowed, ${over.length} files over their allowance\n`)
  return over.length === 0
}

const countsOf = (hits) => new Map([...hits].map(([file, list]) => [file, list.length]))

function main() {
  const options = readOptions()
  if (!options) return 2
  if (options.help) {
    print(usage)
    return 0
  }
  if (options.rules) {
    for (const { name, example, better } of rules) print(`${name}\n  - ${example}\n  + ${better}\n`)
    return 0
  }
  const allowed = parseAllowance(readFileSync(allowanceFile, 'utf8'))
  const hits = readHits(options.check || options.lower ? [] : options.paths)
  if (options.lower) writeFileSync(allowanceFile, formatAllowance(lowered(allowed, countsOf(hits))))
  if (options.check) return check(hits, allowed) ? 0 : 1
  if (options.lower) return 0
  if (options.summary) printSummary(hits)
  else for (const [file, list] of hits) printHits(file, list)
  print(`${total(hits)} hits in ${[...hits.values()].filter((list) => list.length > 0).length} files\n`)
  return options.summary || total(hits) === 0 ? 0 : 1
}

process.exitCode = main()
