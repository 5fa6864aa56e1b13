/** The parts of the replay file. `e2e/src/steps.long.test.ts` plays the file in a browser. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inScript } from './html.js'
import { joined, replayParts } from './parts.js'

it('has one script and one style, which the policy of the page allows by their hashes', () => {
  const { head, foot } = replayParts()
  const style = /<style>(.*?)<\/style>/s.exec(head)?.[1] ?? ''
  const script = /<script type="module">(.*?)<\/script>/s.exec(foot)?.[1] ?? ''
  const policy = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(head)?.[1] ?? ''
  for (const part of [style, script]) {
    expect(part.length).toBeGreaterThan(1000)
    expect(policy).toContain(`'sha256-${createHash('sha256').update(part).digest('base64')}'`)
  }
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
  expect(`${head}${foot}`).not.toMatch(/<!-- (?:data|style|script) -->|\{\{/)
  // No two modules declare the same name.
  execFileSync(process.execPath, ['--check', '--input-type=module', '-'], { input: script, stdio: 'pipe' })
})

it('joins modules without their imports and exports', () => {
  const modules = [
    "import { b } from './b.js';\nexport const a = 1;\nexport {};",
    'export async function c() {}',
  ]
  expect(joined(modules).trim()).toBe('const a = 1;\n\nasync function c() {}')
})

it('keeps any text inside its block, and unchanged', () => {
  const check = (value: unknown): void => {
    const text = inScript(value)
    expect(text).not.toMatch(/[<>&\u2028\u2029]/)
    expect(JSON.parse(text)).toEqual(value)
  }
  for (const text of ['</script>', '<!--<script>', ']]>', '\u2028', '\u202e', '&lt;', '\0'])
    check({ [text]: [text] })
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => check({ text })))
})
