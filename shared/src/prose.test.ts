/** The prose check of `./scripts/test`: its rules, the texts that it reads, and its allowance. */
import { describe, expect, it } from 'vitest'
import {
  formatAllowance,
  lowered,
  overAllowance,
  parseAllowance,
} from '../../scripts/lib/prose/allowance.mjs'
import { hitsIn, rules } from '../../scripts/lib/prose/index.mjs'

const namesOf = (path: string, source: string): string[] => hitsIn(path, source).map(({ rule }) => rule)

describe('a prose rule', () => {
  it.each(rules)('"$name" finds its example', ({ name, example }) => {
    expect(namesOf('a.md', `${example}\n`)).toContain(name)
  })

  it.each(rules)('"$name" accepts its replacement', ({ better }) => {
    expect(namesOf('a.md', `${better}\n`)).toEqual([])
  })

  it.each([
    'There is no such phone in this project.',
    'The phone is no longer running.',
    'What did it cost?',
    'Of course not. As soon as the phone is ready, the request returns.',
    'A field that is not in the schema is refused.',
  ])('accepts "%s"', (sentence) => {
    expect(namesOf('a.md', sentence)).toEqual([])
  })
})

const bad = 'The tree is read anew.'

describe('the prose check reads', () => {
  it.each([
    ['a line comment', 'a.ts', `const a = 1 // ${bad}`],
    ['a docstring', 'a.ts', `/**\n * ${bad}\n */\nexport const a = 1`],
    ['a message', 'a.ts', `throw new Error('${bad}')`],
    ['a template', 'a.ts', `const a = \`\${b} \${\`x\`} ${bad}\``],
    ['a test title', 'a.test.ts', `it('reads the whole tree anew', () => {})`],
    ['a plain JavaScript file', 'a.mjs', `print("${bad}")`],
    ['a proto comment', 'a.proto', `// ${bad}\nmessage A {}`],
    ['a Prisma comment', 'a.prisma', `model A { // ${bad}\n}`],
    ['a shell comment', 'a.sh', `true # ${bad}`],
    ['a printed text of a shell script', 'scripts/up', `echo '${bad}'`],
    ['a YAML comment', 'a.yml', `# ${bad}\na: 1`],
    ['a table cell', 'a.md', `| a | ${bad} |`],
    ['a heading', 'a.md', `# ${bad}`],
  ])('%s', (_what, path, source) => {
    expect(namesOf(path, source)).toEqual(['anew'])
  })

  it('a sentence over two comment lines, and gives its place', () => {
    const source = 'const a = 1\n\n  // Its name\n  // stands\n  // in the record.\n'
    expect(hitsIn('a.ts', source)).toMatchObject([{ line: 4, column: 6, text: 'stands in' }])
  })

  it('the code after a regular expression that contains quotes and slashes', () => {
    expect(namesOf('a.ts', `const a = /["'\`/]\\//.exec(b) // ${bad}`)).toEqual(['anew'])
  })
})

describe('the prose check ignores', () => {
  it.each([
    ['code', 'a.ts', 'const anew = told(beside)'],
    ['inline code', 'a.ts', '// Calls `anew` twice.'],
    ['a value at the start or end', 'a.ts', 'const a = `${b} of the list has at most ${c}`'],
    ['a short string', 'a.ts', `run('anew')`],
    ['a code block', 'a.md', `Text.\n\n\`\`\`sh\n${bad}\n\`\`\`\n`],
    ['a link target', 'a.md', '[decision](docs/0001-read-anew.md)'],
  ])('%s', (_what, path, source) => {
    expect(namesOf(path, source)).toEqual([])
  })
})

describe('the prose allowance', () => {
  const counts = new Map([
    ['a.ts', 3],
    ['b.ts', 1],
  ])

  it('reports a file with more hits than allowed, and a file without an entry', () => {
    expect(overAllowance(parseAllowance('2 a.ts\n'), counts)).toEqual(['a.ts', 'b.ts'])
    expect(overAllowance(parseAllowance('3 a.ts\n1 b.ts\n'), counts)).toEqual([])
  })

  it('uses the lower count when a merge left two entries', () => {
    expect(parseAllowance('3 a.ts\n2 a.ts\n')).toEqual(new Map([['a.ts', 2]]))
  })

  it('lowers counts, never raises one, and drops clean files', () => {
    const allowed = parseAllowance('5 a.ts\n0 b.ts\n4 clean.ts\n')
    const now = new Map([...counts, ['clean.ts', 0]])
    expect(formatAllowance(lowered(allowed, now))).toBe('3 a.ts\n')
  })

  it('keeps the entry of a file that was moved', () => {
    expect(formatAllowance(lowered(parseAllowance('3 old/a.ts\n'), new Map([['new/a.ts', 3]])))).toBe(
      '3 new/a.ts\n',
    )
  })
})
