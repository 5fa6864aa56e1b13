// Generates types and transport from the API's OpenAPI document. Usage: node scripts/generate.mjs FOLDER
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { register } from 'node:module'
import { openApiDocument } from '@phonerack/control-plane/openapi'

register('./typescript5.mjs', import.meta.url)
const { createClient } = await import('@hey-api/openapi-ts')

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('Usage: node scripts/generate.mjs FOLDER\n')
  process.exit(2)
}
const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-sdk-'))
try {
  const input = path.join(dir, 'openapi.json')
  const document = await openApiDocument('https://phonerack.invalid')
  // The generator would make the list of events a stream. The SDK follows the stream by itself (`src/events.ts`).
  delete document.paths['/v1/events'].get.responses['200'].content['text/event-stream']
  await writeFile(input, JSON.stringify(document))
  await createClient({
    input,
    output: { path: path.resolve(folder), clean: true, importFileExtension: '.js' },
    plugins: [
      { name: '@hey-api/client-fetch', throwOnError: true },
      '@hey-api/typescript',
      { name: '@hey-api/sdk', responseStyle: 'data' },
    ],
    logs: { level: 'error' },
  })
} finally {
  await rm(dir, { recursive: true, force: true })
}
