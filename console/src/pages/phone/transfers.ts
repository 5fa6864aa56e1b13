/** Files in transfer to a phone. Apps are installed, other files go to a folder. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { call, messageOf, send } from '../../api/client'
import { type Upload } from '../../api/types'
import { undirected } from '../../direction'

/** Milliseconds between two reads of an install. */
const pollMs = 1000

/** Bytes of a file for the storage of a phone, as in `limits.fileBytes`. */
const maxFileBytes = 4_000_000

export interface Transfer {
  id: number
  name: string
  stage: 'sending' | 'reading' | 'installing' | 'done' | 'failed'
  /** The part of the file that was sent, from 0 to 1. */
  sent: number
  /** The progress in words, or the reason of the failure. */
  text: string
}

type Change = (change: Partial<Omit<Transfer, 'id' | 'name'>>) => void

interface Target {
  project: string
  phone: string
  /** The folder for files that are not apps. */
  folder: string
}

const isApp = ({ name }: { name: string }): boolean => /\.apk$/i.test(name)

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function readApp(project: string, sent: Upload): Promise<Upload> {
  let upload = sent
  while (upload.status === 'processing')
    upload = await call('GET /projects/:project/uploads/:upload', { project, upload: upload.id })
  if (upload.status !== 'ready') throw new Error(upload.error?.message ?? `The app is ${upload.status}.`)
  return upload
}

async function install({ project, phone }: Target, file: File, change: Change): Promise<void> {
  const sent = await send('POST /projects/:project/uploads', { project }, file, (bytes) => {
    const part = file.size === 0 ? 1 : bytes / file.size
    change(part < 1 ? { sent: part } : { sent: 1, stage: 'reading' })
  })
  change({ sent: 1, stage: 'reading' })
  const upload = await readApp(project, sent)
  const name = upload.package ?? file.name
  change({ stage: 'installing', text: name })
  const { install: id } = await call(
    'POST /projects/:project/phones/:phone/installs',
    { project, phone },
    { upload: upload.id },
  )
  for (;;) {
    const { data } = await call('GET /projects/:project/phones/:phone/installs', { project, phone })
    const found = data.find((each) => each.install === id)
    if (found?.status === 'succeeded')
      return change({ stage: 'done', text: `${undirected(name)} is installed` })
    if (found?.status !== 'running')
      throw new Error(`${name} was not installed: ${found?.error ?? 'the phone no longer runs'}`)
    await pause(pollMs)
  }
}

async function store({ project, phone, folder }: Target, file: File, change: Change): Promise<void> {
  if (file.size > maxFileBytes) throw new Error('Files for the storage of a phone have at most 4 MB.')
  await send(
    'PUT /projects/:project/phones/:phone/files',
    { project, phone, path: `${folder}/${file.name}` },
    file,
    (bytes) => change({ sent: file.size === 0 ? 1 : bytes / file.size }),
  )
  change({ sent: 1, stage: 'done', text: `in ${folder}` })
}

let nextId = 1

export function useTransfers(project: string, phone: string) {
  const [transfers, setTransfers] = useState<readonly Transfer[]>([])
  const queries = useQueryClient()
  const add = useCallback(
    (files: readonly File[], folder: string) => {
      for (const file of files) {
        const id = nextId++
        const started: Transfer = { id, name: file.name, stage: 'sending', sent: 0, text: '' }
        setTransfers((all) => [started, ...all])
        const change: Change = (part) =>
          setTransfers((all) => all.map((each) => (each.id === id ? { ...each, ...part } : each)))
        const work = isApp(file) ? install : store
        work({ project, phone, folder }, file, change)
          .catch((error: unknown) => change({ stage: 'failed', text: messageOf(error) }))
          .finally(() => {
            void queries.invalidateQueries({ queryKey: ['installs', project, phone] })
            void queries.invalidateQueries({ queryKey: ['files', project, phone] })
          })
      }
    },
    [project, phone, queries],
  )
  const close = (id: number): void => setTransfers((all) => all.filter((each) => each.id !== id))
  return { transfers, add, close }
}
