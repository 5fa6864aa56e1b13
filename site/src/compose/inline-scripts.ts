/**
 * Moves the scripts in VitePress's pages into files, so that the pages need no inline scripts. They run before the first
 * paint, as before: they choose light or dark.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export class InlineScripts {
  private readonly files = new Map<string, string>()

  /** @param base of the site, with a slash at its end @returns the page with `src` instead of the scripts */
  moved(html: string, base: string): string {
    return html.replaceAll(/<script(?: id="[^"]*")?>([\s\S]*?)<\/script>/g, (_whole, code: string) => {
      const name = `assets/inline.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
      this.files.set(name, code)
      return `<script src="${base}${name}"></script>`
    })
  }

  write(folder: string): void {
    for (const [name, code] of this.files) {
      const file = path.join(folder, name)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, code)
    }
  }
}
