/** Compressed copies of the site's texts, which the control plane sends to clients that accept them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

/** Bytes below which compression is not worth a file. */
const least = 1024
const texts = /\.(?:html|js|css|svg|json|txt)$/

export function compressTexts(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !texts.test(entry.name)) continue
    const file = path.join(entry.parentPath, entry.name)
    const content = readFileSync(file)
    if (content.length >= least) writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
  }
}
