/** Calls that concern files in shared storage. */
import { FileType, type HostServiceServer } from '@phonerack/proto'
import { answer } from './answers.js'
import { type Inside } from './inside.js'

export const filesCalls = (
  agent: Inside,
): Pick<HostServiceServer, 'listFiles' | 'readFile' | 'writeFile' | 'deleteFile'> => ({
  listFiles: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('listFiles', call.request.assignment)
      const entries = agent.held.files.map((name) => ({
        name,
        type: FileType.FILE_TYPE_FILE,
        size: 5n,
        modifiedAt: undefined,
      }))
      return { entries }
    }),
  readFile: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('readFile', call.request.assignment)
      return { content: agent.held.contents.get(call.request.path) ?? Buffer.from('content') }
    }),
  writeFile: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('writeFile', call.request.assignment)
      agent.held.contents.set(call.request.path, call.request.content)
      return { size: BigInt(call.request.content.length) }
    }),
  deleteFile: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('deleteFile', call.request.assignment)
      const name = call.request.path.slice(call.request.path.lastIndexOf('/') + 1)
      agent.held.files = agent.held.files.filter((each) => each !== name)
      return {}
    }),
})
