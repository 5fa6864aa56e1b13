/**
 * Writes the Markdown that VitePress builds: the pages of `pages/` with the examples that they name, documents of the
 * repository with the links of the site, and pages made from the table of errors and the OpenAPI document.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { dividedSections, documents, operations } from './documents.js'
import { endpointsMarkdown, type ApiDocument } from './endpoints.js'
import { errorsMarkdown } from './errors.js'
import { withExamples } from './examples.js'
import { replaceLinks } from './links.js'
import { split, type Part } from './split.js'

export interface Composed {
  /** Sections of the operators' guide, in order. */
  operations: readonly Part[]
}

/** The place in a written page where a page made from a table is inserted. */
const marks = { errors: '<!-- errors -->', endpoints: '<!-- endpoints -->' }

/** @param root the checkout @param into is emptied first */
export function compose(root: string, into: string, api: ApiDocument): Composed {
  const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')
  const write = (page: string, markdown: string): void => {
    const file = path.join(into, `${page}.md`)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, markdown)
  }
  rmSync(into, { recursive: true, force: true })
  const own = path.join('site', 'pages')
  for (const name of readdirSync(path.join(root, own), { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.md'))
      write(
        name.slice(0, -'.md'.length),
        withExamples(read(path.join(own, name)), (file) => read(path.join('examples', file))),
      )

  const parts = split(read(operations.source), dividedSections)
  const places = placesOf(parts)
  const linked = (source: string, markdown: string): string =>
    replaceLinks(markdown, (target) => placeOf(places, source, target))
  for (const { source, page, title } of documents) {
    const markdown = linked(source, read(source))
    write(page, title === undefined ? markdown : markdown.replace(/^# .+$/m, `# ${title}`))
  }
  for (const { slug, markdown } of parts)
    write(`${operations.folder}/${slug}`, linked(operations.source, markdown))

  fill(into, 'reference/errors', marks.errors, errorsMarkdown())
  fill(into, 'reference/endpoints', marks.endpoints, endpointsMarkdown(api))
  return { operations: parts }
}

function fill(into: string, page: string, mark: string, markdown: string): void {
  const file = path.join(into, `${page}.md`)
  const text = readFileSync(file, 'utf8')
  if (!text.includes(mark)) throw new Error(`${page}.md has no line ${mark}`)
  writeFileSync(
    file,
    text.replace(mark, () => markdown),
  )
}

/** The addresses on the site of the documents, and of the headings of the divided document. */
function placesOf(parts: readonly Part[]): ReadonlyMap<string, string> {
  const whole = documents.map(({ source, page }) => [source, `/${page}`] as const)
  const headings = parts.flatMap(({ slug, anchors }) =>
    anchors.map((anchor) => {
      const page = `/${operations.folder}/${slug}`
      return [`${operations.source}#${anchor}`, anchor === slug ? page : `${page}#${anchor}`] as const
    }),
  )
  return new Map([...whole, [operations.source, `/${operations.folder}/`], ...headings])
}

/** @param target relative to the file `source`, perhaps only an anchor */
function placeOf(places: ReadonlyMap<string, string>, source: string, target: string): string | null {
  const [name = '', anchor] = target.split('#')
  const file = name === '' ? source : path.posix.normalize(path.posix.join(path.posix.dirname(source), name))
  const exact = anchor === undefined ? undefined : places.get(`${file}#${anchor}`)
  if (exact !== undefined) return exact
  const page = places.get(file)
  if (page === undefined) return null
  if (anchor === undefined || file === operations.source) return page
  return name === '' ? `#${anchor}` : `${page}#${anchor}`
}
