/** Requests to a phone: apps, recordings, files, clipboard, location, log and screen. */
import { call, send } from './client'
import { phonePath } from './phones'

const uploads = (project: string): string => `/projects/${encodeURIComponent(project)}/uploads`

export interface Upload {
  id: string
  status: string
  package: string | null
  version_name: string | null
  error: { code: string; message: string; next: string | null } | null
}

/** Returns once the app was analysed, or after some seconds with the status `processing`. */
export const sendApp = (project: string, file: Blob, onProgress: (sentBytes: number) => void) =>
  send<Upload>('POST', uploads(project), file, onProgress)
export const getUpload = (project: string, id: string) =>
  call<Upload>('GET', `${uploads(project)}/${encodeURIComponent(id)}`)

export interface Install {
  package: string
  upload: string | null
  install: string | null
  status: 'running' | 'succeeded' | 'failed'
  /** An error code. */
  error: string | null
  started_at: string
}

export const listInstalls = (project: string, phone: string) =>
  call<{ data: Install[] }>('GET', `${phonePath(project, phone)}/installs`)
export const installUpload = (project: string, phone: string, upload: string) =>
  call<Install>('POST', `${phonePath(project, phone)}/installs`, { upload })

export interface Recording {
  id: string
  name: string | null
  status: 'recording' | 'processing' | 'ready' | 'failed'
  started_at: string
  duration_ms: number | null
  size_bytes: number | null
  expires_at: string
}

const recordings = (project: string, phone: string): string => `${phonePath(project, phone)}/recordings`
const recording = (project: string, phone: string, id: string): string =>
  `${recordings(project, phone)}/${encodeURIComponent(id)}`

export const listRecordings = (project: string, phone: string) =>
  call<{ data: Recording[] }>('GET', recordings(project, phone))
export const startRecording = (project: string, phone: string) =>
  call<Recording>('POST', recordings(project, phone), {})
export const stopRecording = (project: string, phone: string, id: string) =>
  call<Recording>('POST', `${recording(project, phone, id)}/stop`, {})
export const deleteRecording = (project: string, phone: string, id: string) =>
  call('DELETE', recording(project, phone, id))
export const videoOf = (project: string, phone: string, id: string): string =>
  `/console/api${recording(project, phone, id)}/video`

export interface Element {
  ref: number
  type: string
  text: string | null
  desc: string | null
  id: string | null
  /** Left, top, right, bottom, in device pixels. */
  bounds: [number, number, number, number]
  state: string[]
}

export interface Screen {
  snapshot_id: string
  taken_at: string
  screen: { width: number; height: number; on?: false }
  elements: Element[]
  text: string
  screenshot?: { format: 'jpeg' | 'png'; width: number; height: number; data: string; secure?: true }
}

export const readScreen = (project: string, phone: string) =>
  call<Screen>('GET', `${phonePath(project, phone)}/screen`)

export interface FileEntry {
  name: string
  type: 'file' | 'directory' | 'other'
  size: number
  modified_at: string | null
}

const files = (project: string, phone: string, path: string, below = ''): string =>
  `${phonePath(project, phone)}/files${below}?${new URLSearchParams({ path }).toString()}`

export const listFiles = (project: string, phone: string, path: string) =>
  call<{ path: string; data: FileEntry[] }>('GET', files(project, phone, path))
export const sendFile = (
  project: string,
  phone: string,
  path: string,
  file: Blob,
  onProgress: (sentBytes: number) => void,
) => send<{ size: number }>('PUT', files(project, phone, path), file, onProgress)
export const deleteFile = (project: string, phone: string, path: string) =>
  call('DELETE', files(project, phone, path))
export const contentOf = (project: string, phone: string, path: string): string =>
  `/console/api${files(project, phone, path, '/content')}`

export const readClipboard = (project: string, phone: string) =>
  call<{ text: string }>('GET', `${phonePath(project, phone)}/clipboard`)
export const setClipboard = (project: string, phone: string, text: string) =>
  call<{ text: string }>('PUT', `${phonePath(project, phone)}/clipboard`, { text })

export interface Location {
  lat: number
  lng: number
}

export const getLocation = (project: string, phone: string) =>
  call<Location>('GET', `${phonePath(project, phone)}/location`)
export const setLocation = (project: string, phone: string, location: Location) =>
  call<Location>('PUT', `${phonePath(project, phone)}/location`, location)
export const resetLocation = (project: string, phone: string) =>
  call<Location>('DELETE', `${phonePath(project, phone)}/location`)

export const logLevels = ['verbose', 'debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LogLine {
  at: string | null
  level: string
  tag: string
  package: string | null
  message: string
}

export const readLogs = (project: string, phone: string, level: LogLevel) =>
  call<{ data: LogLine[] }>(
    'GET',
    `${phonePath(project, phone)}/logs?${new URLSearchParams({ level }).toString()}`,
  )
