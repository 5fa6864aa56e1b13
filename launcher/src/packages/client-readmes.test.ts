/** The README files that the packages for authors of agents show at npm and PyPI. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { clients } from './index.js'

const checkout = path.resolve(import.meta.dirname, '..', '..', '..')

it.each([...clients.map(({ name }) => name), 'python'])(
  'has no relative link in the README of %s',
  (name) => {
    const folder = { 'phonerack-sdk': 'typescript', phonerack: 'cli' }[name] ?? name
    const readme = readFileSync(path.join(checkout, 'clients', folder, 'README.md'), 'utf8')
    // npm and PyPI have no other files of the checkout. A link within the page starts with `#`.
    const targets = [...readme.matchAll(/\]\(([^)\s]+)[^)]*\)|(?:src|href)="([^"]+)"/g)].map(
      ([, markdown, html]) => markdown ?? html,
    )
    expect(targets.filter((target) => !/^(?:https:\/\/|#)/.test(target ?? ''))).toEqual([])
  },
)
