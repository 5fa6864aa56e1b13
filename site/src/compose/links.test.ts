import { describe, expect, it } from 'vitest'
import { anchorOf, replaceLinks } from './links.js'

describe('links of documents', () => {
  const places = new Map([
    ['mcp.md', '/clients/mcp'],
    ['#rules', '#rules'],
  ])
  it.each([
    ['See [agent tools](mcp.md).', 'See [agent tools](/clients/mcp).'],
    ['See [`mcp`](mcp.md).', 'See [`mcp`](/clients/mcp).'],
    ['See [the rules](#rules).', 'See [the rules](#rules).'],
    ['See [the table](../shared/src/limits.ts).', 'See the table.'],
    ['It is encrypted ([0192](decisions/0192-a.md)).', 'It is encrypted.'],
    ['It is clean ([0140](decisions/0140-b.md), [0141](decisions/0141-c.md)) now', 'It is clean now'],
    ['![A picture](picture.png)', 'A picture'],
    ['See [Go](https://go.dev/doc).', 'See [Go](https://go.dev/doc).'],
    ['Write `[x](mcp.md)` and', 'Write `[x](mcp.md)` and'],
    ['```sh\n[x](mcp.md)\n```', '```sh\n[x](mcp.md)\n```'],
  ])('%j becomes %j', (markdown, expected) => {
    expect(replaceLinks(markdown, (target) => places.get(target) ?? null)).toBe(expected)
  })

  it.each([
    ['With `up`', 'with-up'],
    ['1. Postgres', '1-postgres'],
    ['A device’s screen: `screencap`', 'a-devices-screen-screencap'],
    ['The [command line](cli.md)', 'the-command-line'],
  ])('the anchor of "%s" is %s, as on GitHub', (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor)
  })
})
