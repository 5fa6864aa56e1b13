/** Tests how blocks are found in a page, and how output is compared. */
import { describe, expect, it } from 'vitest'
import { blocksFor, blocksOf, clientsOf } from './blocks.js'
import { isPrinted } from './output.js'

const page = `# Page

\`\`\`sh
export A=1
\`\`\`

::: code-group

\`\`\`sh [curl]
echo "$A"
\`\`\`

\`\`\`ts [TypeScript]
console.log(1)
\`\`\`

\`\`\`sh [CLI] not-run=install
npm install
\`\`\`

:::

\`\`\`text output
1
\`\`\`
`

describe('the blocks of a page', () => {
  it('have their client, their step, and whether they run', () => {
    const blocks = blocksOf(page)
    expect(blocks.map(({ client, step, isOutput, notRun }) => [client, step, isOutput, notRun])).toEqual([
      [null, 1, false, null],
      ['curl', 2, false, null],
      ['TypeScript', 2, false, null],
      ['CLI', 2, false, 'install'],
      [null, 4, true, null],
    ])
    expect(clientsOf(blocks)).toEqual(['curl', 'TypeScript'])
    expect(blocksFor(blocks, 'curl').map(({ code }) => code)).toEqual(['export A=1', 'echo "$A"'])
    expect(blocksFor(blocks, 'TypeScript').map(({ code }) => code)).toEqual(['console.log(1)'])
  })

  it.each(['```ini\na = 1\n```', '```json\n{}\n```', '```\ntext\n```'])(
    'must run or name a reason: %j',
    (text) => {
      expect(() => blocksOf(text)).toThrow('line 1: a block of')
    },
  )
})

describe('output', () => {
  it.each([
    ['a\nb', 'first\na\nb\nlast', true],
    ['a\nb', 'a\nx\nb', false],
    ['a\n…\nb', 'a\nx\ny\nb', true],
    ['[…] Button "OK" (…)', '[12] Button "OK" (1,2)', true],
    ['[…] Button "OK" (…)', '[12] Button "No" (1,2)', false],
    ['OK', 'NOT OK', false],
    ['a.c', 'abc', false],
  ])('%j in %j: %s', (expected, output, found) => {
    expect(isPrinted(expected, output)).toBe(found)
  })
})
