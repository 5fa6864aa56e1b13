import { expect, it } from 'vitest'
import { split } from './split.js'

const document = `# Guide

Introduction.

## First

Text.

### Detail

\`\`\`sh
## a comment
\`\`\`

## Long

Begin.

### One

#### Deep

### Two
`

it('makes a page of each section, and of the parts of a long one', () => {
  const parts = split(document, new Set(['Long']))
  expect(parts.map(({ slug, anchors }) => [slug, anchors])).toEqual([
    ['first', ['first', 'detail']],
    ['long', ['long']],
    ['one', ['one', 'deep']],
    ['two', ['two']],
  ])
  expect(parts[0]?.markdown).toBe('# First\n\nText.\n\n## Detail\n\n```sh\n## a comment\n```\n')
  expect(parts[2]?.markdown).toBe('# One\n\n## Deep\n')
})
