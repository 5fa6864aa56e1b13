/** Writes the pages as Markdown, for models: each page next to its HTML, and the pages for authors of agents in one file. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { DefaultTheme } from 'vitepress'

const links = (items: readonly DefaultTheme.SidebarItem[]): string[] =>
  items.flatMap(({ link, items: below = [] }) => [...(link === undefined ? [] : [link]), ...links(below)])

/** Without the front matter, and without the marks of code blocks that only tests read. */
const plain = (markdown: string): string =>
  markdown.replace(/^---\n[^]*?\n---\n/, '').replaceAll(/^(```\w+(?: \[[^\]]+\])?) .*$/gm, '$1')

/**
 * @param pages the folder of the composed Markdown @param into the folder of the site
 * @param sidebar menus whose pages are written; the pages of `whole` make `llms-full.txt`
 */
export function writeMarkdown(
  pages: string,
  into: string,
  sidebar: DefaultTheme.SidebarMulti,
  whole: readonly string[],
): void {
  const named = new Map<string, string>()
  // The pages of the one file come first, in the order of that file.
  for (const menu of new Set([...whole, ...Object.keys(sidebar)]))
    for (const link of links(sidebar[menu] as DefaultTheme.SidebarItem[])) {
      const name = `${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.md`
      const file = path.join(pages, name)
      // The API reference is a program.
      if (!existsSync(file)) continue
      const text = plain(readFileSync(file, 'utf8'))
      mkdirSync(path.dirname(path.join(into, name)), { recursive: true })
      writeFileSync(path.join(into, name), text)
      if (whole.includes(menu)) named.set(name, text)
    }
  const texts = [...named].map(([name, text]) => `<!-- /docs/${name} -->\n\n${text.trim()}\n`)
  writeFileSync(path.join(into, 'llms-full.txt'), texts.join('\n'))
}
