/** Options of lists: one page, or all of them. */
import type { Page, Pages } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { Run } from './app.js'
import { wholeNumber } from './target.js'

export interface PageFlags {
  limit?: string
  cursor?: string
  all?: boolean
}

export const pageOptions = (command: Command, hasLimit = true): Command =>
  (hasLimit ? command.option('--limit <n>', 'largest number of entries on a page') : command)
    .option('--cursor <cursor>', 'the page after this cursor')
    .option('--all', 'all pages')

export async function pageOf<T>(pages: Pages<unknown, T>, flags: PageFlags): Promise<Page<T>> {
  if (flags.all === true) return { data: await pages.toArray(), next_cursor: null }
  return pages.page({
    ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
    ...(flags.limit === undefined ? {} : { limit: wholeNumber(flags.limit, '--limit', 1) }),
  })
}

/** Prints a note on stderr that more rows exist. */
export async function noteMore(run: Run, cursor: string | null): Promise<void> {
  if (cursor !== null) await run.out.note(`There are more: add --all, or --cursor ${cursor}`)
}
