/** Prepares each raw SQL statement of the sources on the database, and compares its columns with the type of its rows. */
import { fileURLToPath } from 'node:url'
import { API, SymbolFlags, type Project, type Type } from 'typescript/unstable/sync'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { newDatabase } from '../world.js'
import { Describer, type Column } from './describe.js'
import { findStatements, type Statement } from './statements.js'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const root = pathOf('../../../../')
const examples = pathOf('examples.ts')

let describer: Describer
let compiler: API
let project: Project
/** The types of values, by the names of Postgres's types. */
let values: Map<string, Type>

beforeAll(async () => {
  describer = await Describer.create(await newDatabase(inject('testServers').postgresUrl))
  compiler = new API({ cwd: root })
  const config = pathOf('tsconfig.statements.json')
  const opened = compiler.updateSnapshot({ openProjects: [config] }).getProject(config)
  if (!opened) throw new Error(`TypeScript cannot open ${config}`)
  project = opened
  const { checker } = project
  const place = { document: pathOf('describe.ts'), position: 0 }
  const listed = checker.resolveName('DriverValues', SymbolFlags.Interface, place)
  values = new Map(
    (listed ? checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(listed)) : []).map((property) => [
      property.name,
      checker.getTypeOfSymbol(property) ?? checker.getUnknownType(),
    ]),
  )
})

afterAll(async () => {
  compiler.close()
  await describer.close()
})

it('each statement returns the columns that its row type declares', async () => {
  const isSource = (file: string): boolean =>
    file.startsWith(`${root}control-plane/src/`) && !/\/src\/(gen|testing)\//.test(file)
  const statements = findStatements(project, isSource)
  expect(statements.length).toBeGreaterThan(200)
  expect(await problemsOf(statements)).toEqual([])
})

it('names each wrong row type with its file and line', async () => {
  const problems = await problemsOf(findStatements(project, (file) => file === examples))
  expect(problems.map((problem) => problem.replace(/^.*examples\.ts:/, ''))).toEqual([
    '6: relation "phone" does not exist',
    '7: the statement has no column name',
    '8: the row type has no column name',
    '9: total is bigint, not number',
    '10: the drivers return numeric differently: cast total',
    '11: code can be null',
    '12: serial can be null',
    '13: cannot be composed: where',
    '14: column "ids" does not exist',
  ])
})

async function problemsOf(statements: readonly Statement[]): Promise<string[]> {
  const problems = new Set<string>()
  for (const { file, line, texts, row } of statements)
    for (const problem of 'unresolved' in texts ? [texts.unresolved] : await misfitsOf(texts, row))
      problems.add(`${file.slice(root.length)}:${line}: ${problem}`)
  return [...problems]
}

async function misfitsOf(texts: readonly string[], row: Statement['row']): Promise<string[]> {
  const found: string[] = []
  let last = ''
  for (const text of texts)
    try {
      const columns = await describer.columnsOf(text)
      if (row.size === 0) continue
      // Most texts of a statement have the same columns.
      const described = JSON.stringify(columns)
      if (described !== last) found.push(...wrongColumns(columns, row))
      last = described
      for (const { name, isNullable } of columns)
        if (isNullable && !isTypedNull(row.get(name)) && !(await describer.isNeverNull(text, name)))
          found.push(`${name} can be null`)
    } catch (error) {
      found.push(error instanceof Error ? error.message : String(error))
    }
  return found
}

function wrongColumns(columns: readonly Column[], row: Statement['row']): string[] {
  const { checker } = project
  const missing = [...row.keys()].filter((name) => !columns.some((column) => column.name === name))
  return [
    ...missing.map((name) => `the statement has no column ${name}`),
    ...columns.flatMap(({ name, type }) => {
      const declared = row.get(name)
      const value = values.get(type)
      if (!declared) return `the row type has no column ${name}`
      if (!value) return `the drivers return ${type} differently: cast ${name}`
      return declared
        .map((each) => checker.getNonNullableType(each) ?? each)
        .filter((each) => !checker.isTypeAssignableTo(each, value))
        .map((each) => `${name} is ${checker.typeToString(value)}, not ${checker.typeToString(each)}`)
    }),
  ]
}

function isTypedNull(types: readonly Type[] = []): boolean {
  const { checker } = project
  return types.length === 0 || types.some((each) => checker.isTypeAssignableTo(checker.getNullType(), each))
}
