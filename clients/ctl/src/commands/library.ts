import { createReadStream } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { LibraryApp, OperatorClient } from '../operator/client.js'
import type { Command } from '../commands.js'
import { table } from '../table.js'

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const apps = (rows: readonly LibraryApp[]): string =>
  table(
    rows,
    [
      { title: 'PACKAGE', value: (app) => app.package },
      { title: 'LABEL', value: ({ label }) => label },
      { title: 'VERSION', value: (app) => `${app.version_name} (${app.version_code})` },
      { title: 'SPLITS', value: ({ splits }) => (splits.length === 0 ? null : splits.join(', ')) },
      { title: 'SIZE', value: (app) => megabytes(app.size_bytes) },
      { title: 'ADDED', value: (app) => app.added_at },
    ],
    'the library is empty',
  )

async function send(client: OperatorClient, path: string): Promise<string> {
  const content = createReadStream(path)
  try {
    return (await client.sendLibraryFile(Readable.toWeb(content) as ReadableStream<Uint8Array>)).file
  } finally {
    content.destroy()
  }
}

export const libraryCommands: readonly Command[] = [
  {
    name: 'library list',
    about: 'Lists the apps that every project can install by package.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const data = await operator().library()
      return { json: { data }, text: apps(data) }
    },
  },
  {
    name: 'library add',
    about: 'Adds an app or a newer version of it: the base APK and any splits.',
    words: ['APK...'],
    flags: {},
    async run({ words, say }, operator) {
      // If one file cannot be read, nothing is sent.
      for (const path of words) await access(path, constants.R_OK)
      const client = operator()
      const files: string[] = []
      for (const path of words) {
        say(`Sending ${path}`)
        files.push(await send(client, path))
      }
      const app = await client.addLibraryApp(files)
      return { json: app, text: apps([app]) }
    },
  },
  {
    name: 'library remove',
    about: 'Removes an app from the library. Phones keep installed copies.',
    words: ['PACKAGE'],
    flags: {},
    async run({ words }, operator) {
      const removed = await operator().removeLibraryApp(words[0] ?? '')
      return { json: removed, text: `${removed.package} is no longer in the library` }
    },
  },
]
