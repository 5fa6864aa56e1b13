/** Implements `FileService`: shared storage of a ready phone. */
import {
  FileType,
  type DeleteFileRequest,
  type DeleteFileResponse,
  type ListFilesRequest,
  type ListFilesResponse,
  type ReadFileRequest,
  type ReadFileResponse,
  type WriteFileRequest,
  type WriteFileResponse,
} from '@phonerack/proto'
import { ApiError } from '@phonerack/shared'
import { type HostClients } from '../../links/host-calls/clients.js'
import { type Core } from '../../base/core/core.js'
import { checkFileChange } from '../../rental/phones/left-to-person.js'
import { createPhoneCalls, type PhoneRequest } from './phone-calls.js'
import { type FileEntryView, type FileService } from './types.js'

const types: Partial<Record<FileType, FileEntryView['type']>> = {
  [FileType.FILE_TYPE_FILE]: 'file',
  [FileType.FILE_TYPE_DIRECTORY]: 'directory',
}

/** The request that lists a directory, for the field `next` of an error. */
const listRequest = (phoneId: string, path: string): string =>
  `GET /v1/phones/${phoneId}/files?path=${encodeURIComponent(path)}`
const readRequest = (phoneId: string, path: string): string =>
  `GET /v1/phones/${phoneId}/files/content?path=${encodeURIComponent(path)}`
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

export function createFileService(core: Core, hosts: HostClients): FileService {
  const reach = createPhoneCalls(core, hosts)

  async function list(to: PhoneRequest, path: string): Promise<FileEntryView[]> {
    const { entries } = await reach.read<ListFilesRequest, ListFilesResponse>(
      to,
      (client, ...rest) => client.listFiles(...rest),
      (assignment) => ({ assignment, path }),
    )
    return entries.map(({ name, type, size, modifiedAt }) => ({
      name,
      type: types[type] ?? 'other',
      size: Number(size),
      modifiedAt: modifiedAt ?? null,
    }))
  }

  /** After an unconfirmed delete, checks once whether the path is gone. Never deletes twice. */
  async function isAbsent(to: PhoneRequest, path: string): Promise<boolean> {
    try {
      const name = path.slice(path.lastIndexOf('/') + 1)
      return !(await list(to, parentOf(path))).some((entry) => entry.name === name)
    } catch (error) {
      // A missing parent directory means that the path is absent too. Any other error proves nothing.
      return error instanceof ApiError && error.code === 'file_not_found'
    }
  }

  return {
    list: (caller, phoneId, path, context) =>
      list({ caller, phoneId, context }, path).catch(pointOn(phoneId, path)),

    async read(caller, phoneId, path, context) {
      const { content } = await reach
        .read<ReadFileRequest, ReadFileResponse>(
          { caller, phoneId, context },
          (client, ...rest) => client.readFile(...rest),
          (assignment) => ({ assignment, path }),
        )
        .catch(pointOn(phoneId, path))
      return content
    },

    async write(caller, phoneId, path, content, context) {
      checkFileChange(caller, phoneId, path)
      const { size } = await reach
        .write<WriteFileRequest, WriteFileResponse>(
          { caller, phoneId, context },
          (client, ...rest) => client.writeFile(...rest),
          (assignment) => ({ assignment, path, content: Buffer.from(content) }),
          listRequest(phoneId, parentOf(path)),
        )
        .catch(pointOn(phoneId, path))
      return Number(size)
    },

    async delete(caller, phoneId, path, context) {
      checkFileChange(caller, phoneId, path)
      const to = { caller, phoneId, context }
      try {
        await reach.write<DeleteFileRequest, DeleteFileResponse>(
          to,
          (client, ...rest) => client.deleteFile(...rest),
          (assignment) => ({ assignment, path }),
          listRequest(phoneId, parentOf(path)),
        )
      } catch (error) {
        const unknown = error instanceof ApiError && error.code === 'action_outcome_unknown'
        if (unknown && (await isAbsent(to, path))) return
        throw withNext(error, phoneId, path)
      }
    },
  }
}

const pointOn =
  (phoneId: string, path: string) =>
  (error: unknown): never => {
    throw withNext(error, phoneId, path)
  }

/** Adds the matching request if the path names a directory instead of a file, or a file instead of a directory. */
function withNext(error: unknown, phoneId: string, path: string): unknown {
  if (!(error instanceof ApiError) || error.code !== 'validation_failed') return error
  const { names, ...details } = error.details
  if (names !== 'file' && names !== 'directory') return error
  const next = names === 'file' ? readRequest(phoneId, path) : listRequest(phoneId, path)
  return new ApiError(error.code, { ...error.toPlain(), next, details, cause: error })
}
