/** For tests: a HostService client over mutual TLS, with promises and errors as the control plane reads them. */
import { credentials, InterceptingCall, Metadata, type Interceptor, type ServiceError } from '@grpc/grpc-js'
import {
  type AdoptDeviceRequest,
  type AdoptDeviceResponse,
  type BeginInstallRequest,
  type BeginInstallResponse,
  type BeginRenewalRequest,
  type BeginRenewalResponse,
  type DismissNotificationRequest,
  type DismissNotificationResponse,
  type DeleteFileRequest,
  type DeleteFileResponse,
  type EnrollDeviceRequest,
  type EnrollDeviceResponse,
  type FinishInstallRequest,
  type FinishInstallResponse,
  type FinishRenewalRequest,
  type FinishRenewalResponse,
  type ForgetDeviceRequest,
  type ForgetDeviceResponse,
  type GetClipboardRequest,
  type GetClipboardResponse,
  type GetDeviceInfoRequest,
  type GetDeviceInfoResponse,
  type GetLocaleRequest,
  type GetLocaleResponse,
  type GetLocationRequest,
  type GetLocationResponse,
  type GetTimezoneRequest,
  type GetTimezoneResponse,
  HostServiceClient,
  type ListCrashesRequest,
  type ListCrashesResponse,
  type ListNotificationsRequest,
  type ListNotificationsResponse,
  type ListAppsRequest,
  type ListAppsResponse,
  type ListFilesRequest,
  type ListFilesResponse,
  type OpenNotificationRequest,
  type OpenNotificationResponse,
  type ObserveRequest,
  type ObserveResponse,
  type ParkPhoneRequest,
  type ParkPhoneResponse,
  type ProveDeviceRequest,
  type ProveDeviceResponse,
  type ReadLogsRequest,
  type ReadLogsResponse,
  type ReadFileRequest,
  type ReadFileResponse,
  type RebootPhoneRequest,
  type RebootPhoneResponse,
  type RunActionsRequest,
  type RunActionsResponse,
  type ScreenshotRequest,
  type ScreenshotResponse,
  type SetClipboardRequest,
  type SetClipboardResponse,
  type SetLocaleRequest,
  type SetLocaleResponse,
  type SetLocationRequest,
  type SetLocationResponse,
  type SetPermissionsRequest,
  type SetPermissionsResponse,
  type SetTimezoneRequest,
  type SetTimezoneResponse,
  type StartPhoneRequest,
  type StartPhoneResponse,
  type ThumbnailRequest,
  type ThumbnailResponse,
  type TrustAuthoritiesRequest,
  type TrustAuthoritiesResponse,
  type UninstallAppRequest,
  type UninstallAppResponse,
  type WipeDeviceRequest,
  type WipeDeviceResponse,
  type WriteFileRequest,
  type WriteFileResponse,
} from '@phonerack/proto'
import { protocol, type PlainError } from '@phonerack/shared'
import { errorTrailer } from '../service/grpc/errors.js'
import type { Leaf } from './pki.js'

type BatchLimits = Pick<RunActionsRequest, 'startWithinMs' | 'stopBetweenActions'>
/** Sends a batch. Omitted limits do not apply. */
type Limited = Omit<RunActionsRequest, keyof BatchLimits> & Partial<BatchLimits>

export class CallFailed extends Error {
  constructor(
    readonly code: number,
    readonly plain: PlainError | null,
    details: string,
  ) {
    super(`${code} ${plain?.code ?? 'without a public error'}: ${details}`)
  }
}

export const toCallFailed = (error: ServiceError): CallFailed => {
  const [trailer] = error.metadata.get(errorTrailer)
  const plain = trailer === undefined ? null : (JSON.parse(trailer.toString()) as PlainError)
  return new CallFailed(error.code, plain, error.details)
}

/**
 * Marks a promise that a test awaits later, so that an earlier failure does not count as an unhandled
 * rejection.
 */
function forLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

type Invoke<Q, A> = (
  request: Q,
  metadata: Metadata,
  options: { deadline: number },
  callback: (error: ServiceError | null, answer: A) => void,
) => unknown

const promised =
  <Q, A>(invoke: Invoke<Q, A>) =>
  (request: Q, ms = 30_000): Promise<A> =>
    forLater(
      new Promise((resolve, reject) => {
        invoke(request, new Metadata(), { deadline: Date.now() + ms }, (error, answer) => {
          if (error) reject(toCallFailed(error))
          else resolve(answer)
        })
      }),
    )

/** `protocolVersion` is sent in the client's metadata, unless it is omitted. */
export function createClient(
  address: string,
  caPem: string,
  leaf: Leaf | null,
  serverName: string,
  protocolVersion?: string,
) {
  const sayProtocol: Interceptor = (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start(metadata, listener, next) {
        if (protocolVersion !== undefined) metadata.set(protocol.header, protocolVersion)
        next(metadata, listener)
      },
    })
  const channel = leaf
    ? credentials.createSsl(
        Buffer.from(caPem),
        Buffer.from(leaf.privateKeyPem),
        Buffer.from(leaf.certificatePem),
      )
    : credentials.createSsl(Buffer.from(caPem))
  const client = new HostServiceClient(address, channel, {
    interceptors: [sayProtocol],
    'grpc.ssl_target_name_override': serverName,
    'grpc.max_receive_message_length': 16 << 20,
  })
  return {
    observe: promised<ObserveRequest, ObserveResponse>((...args) => client.observe(...args)),
    screenshot: promised<ScreenshotRequest, ScreenshotResponse>((...args) => client.screenshot(...args)),
    thumbnail: promised<ThumbnailRequest, ThumbnailResponse>((...args) => client.thumbnail(...args)),
    start: promised<StartPhoneRequest, StartPhoneResponse>((...args) => client.startPhone(...args)),
    park: promised<ParkPhoneRequest, ParkPhoneResponse>((...args) => client.parkPhone(...args)),
    wipe: promised<WipeDeviceRequest, WipeDeviceResponse>((...args) => client.wipeDevice(...args)),
    enroll: promised<EnrollDeviceRequest, EnrollDeviceResponse>((...args) => client.enrollDevice(...args)),
    /** Unary calls, by name. */
    call: {
      forgetDevice: promised<ForgetDeviceRequest, ForgetDeviceResponse>((...args) =>
        client.forgetDevice(...args),
      ),
      proveDevice: promised<ProveDeviceRequest, ProveDeviceResponse>((...args) =>
        client.proveDevice(...args),
      ),
      adoptDevice: promised<AdoptDeviceRequest, AdoptDeviceResponse>((...args) =>
        client.adoptDevice(...args),
      ),
      beginRenewal: promised<BeginRenewalRequest, BeginRenewalResponse>((...args) =>
        client.beginRenewal(...args),
      ),
      finishRenewal: promised<FinishRenewalRequest, FinishRenewalResponse>((...args) =>
        client.finishRenewal(...args),
      ),
      trustAuthorities: promised<TrustAuthoritiesRequest, TrustAuthoritiesResponse>((...args) =>
        client.trustAuthorities(...args),
      ),
      rebootPhone: promised<RebootPhoneRequest, RebootPhoneResponse>((...args) =>
        client.rebootPhone(...args),
      ),
      getDeviceInfo: promised<GetDeviceInfoRequest, GetDeviceInfoResponse>((...args) =>
        client.getDeviceInfo(...args),
      ),
      getClipboard: promised<GetClipboardRequest, GetClipboardResponse>((...args) =>
        client.getClipboard(...args),
      ),
      setClipboard: promised<SetClipboardRequest, SetClipboardResponse>((...args) =>
        client.setClipboard(...args),
      ),
      getLocation: promised<GetLocationRequest, GetLocationResponse>((...args) =>
        client.getLocation(...args),
      ),
      setLocation: promised<SetLocationRequest, SetLocationResponse>((...args) =>
        client.setLocation(...args),
      ),
      getLocale: promised<GetLocaleRequest, GetLocaleResponse>((...args) => client.getLocale(...args)),
      setLocale: promised<SetLocaleRequest, SetLocaleResponse>((...args) => client.setLocale(...args)),
      getTimezone: promised<GetTimezoneRequest, GetTimezoneResponse>((...args) =>
        client.getTimezone(...args),
      ),
      setTimezone: promised<SetTimezoneRequest, SetTimezoneResponse>((...args) =>
        client.setTimezone(...args),
      ),
      listFiles: promised<ListFilesRequest, ListFilesResponse>((...args) => client.listFiles(...args)),
      readFile: promised<ReadFileRequest, ReadFileResponse>((...args) => client.readFile(...args)),
      writeFile: promised<WriteFileRequest, WriteFileResponse>((...args) => client.writeFile(...args)),
      deleteFile: promised<DeleteFileRequest, DeleteFileResponse>((...args) => client.deleteFile(...args)),
      listApps: promised<ListAppsRequest, ListAppsResponse>((...args) => client.listApps(...args)),
      beginInstall: promised<BeginInstallRequest, BeginInstallResponse>((...args) =>
        client.beginInstall(...args),
      ),
      finishInstall: promised<FinishInstallRequest, FinishInstallResponse>((...args) =>
        client.finishInstall(...args),
      ),
      readLogs: promised<ReadLogsRequest, ReadLogsResponse>((...args) => client.readLogs(...args)),
      listCrashes: promised<ListCrashesRequest, ListCrashesResponse>((...args) =>
        client.listCrashes(...args),
      ),
      listNotifications: promised<ListNotificationsRequest, ListNotificationsResponse>((...args) =>
        client.listNotifications(...args),
      ),
      openNotification: promised<OpenNotificationRequest, OpenNotificationResponse>((...args) =>
        client.openNotification(...args),
      ),
      dismissNotification: promised<DismissNotificationRequest, DismissNotificationResponse>((...args) =>
        client.dismissNotification(...args),
      ),
      setPermissions: promised<SetPermissionsRequest, SetPermissionsResponse>((...args) =>
        client.setPermissions(...args),
      ),
      uninstallApp: promised<UninstallAppRequest, UninstallAppResponse>((...args) =>
        client.uninstallApp(...args),
      ),
    },
    /** Sends one package file in chunks. */
    putPackageFile: (
      file: { name: string; sha256: string; size: bigint },
      chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
      ms = 30_000,
    ): Promise<void> =>
      new Promise((resolve, reject) => {
        const stream = client.putPackageFile(new Metadata(), { deadline: Date.now() + ms }, (error) => {
          if (error) reject(toCallFailed(error))
          else resolve()
        })
        stream.write({ part: { $case: 'header', value: file } })
        const send = async () => {
          for await (const chunk of chunks)
            stream.write({ part: { $case: 'chunk', value: Buffer.from(chunk) } })
          stream.end()
        }
        send().catch(reject)
      }),
    /**
     * Returns all messages of a batch. `onMessage` gets each message as it arrives, with a function to
     * cancel.
     */
    run(
      request: Limited,
      onMessage: (message: RunActionsResponse, cancel: () => void) => void = () => undefined,
      ms = 60_000,
      guarded = false,
    ): Promise<RunActionsResponse[]> {
      return forLater(
        new Promise((resolve, reject) => {
          const messages: RunActionsResponse[] = []
          const whole = { startWithinMs: 0, stopBetweenActions: false, ...request }
          const options = { deadline: Date.now() + ms }
          const stream = guarded
            ? client.runGuardedActions(whole, new Metadata(), options)
            : client.runActions(whole, new Metadata(), options)
          stream.on('data', (message: RunActionsResponse) => {
            messages.push(message)
            onMessage(message, () => stream.cancel())
          })
          stream.on('error', (error: ServiceError) => reject(toCallFailed(error)))
          stream.on('end', () => resolve(messages))
        }),
      )
    },
    close: () => client.close(),
  }
}
export type TestClient = ReturnType<typeof createClient>
