/** Decides which files of a module belong in a package. Pure. */

/** Folders for the developers of a module, directly below it. */
const developersOnly = new Set(
  '.github .vscode .husky __tests__ bench benchmark benchmarks coverage doc docs example examples test tests'.split(
    ' ',
  ),
)
/** Declarations and sources that are never run, maps, and texts other than licences. */
const unusedEnding = /\.(?:[cm]?ts|tsx|map|tsbuildinfo|flow|cc|h|swf|md|markdown)$/i
const testFile = /(?:^|\/)(?:[^/]+\.)?(?:test|spec)\.[cm]?js$/
/** The homepage of a module, and its release scripts. */
const page = /^[^/]+\.(?:html|sh)$/
const licence = /(?:^|\/)(?:licen[cs]e|notice|copying|authors|third[-_]?party)[^/]*$/i
const configuration = /(?:^|\/)\.(?!bin)[^/]+$/

/** @param file path below the module, with `/` */
export function isKept(file: string): boolean {
  if (licence.test(file)) return true
  const [first = ''] = file.split('/', 1)
  if (developersOnly.has(first) && file.includes('/')) return false
  if (page.test(file)) return false
  return !unusedEnding.test(file) && !testFile.test(file) && !configuration.test(file)
}
