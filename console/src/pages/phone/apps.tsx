/** Installs on the phone, and a button to choose a file. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/client'
import { type Install } from '../../api/types'
import { Badge, type Tone } from '../../ui/badge'
import { Loaded } from '../../ui/failed'
import { Card } from '../../ui/page'
import { Time } from '../../ui/time'
import { ChooseFiles } from './choose-files'

const tones: Readonly<Record<Install['status'], Tone>> = {
  running: 'busy',
  succeeded: 'good',
  failed: 'danger',
}

interface Props {
  project: string
  phone: string
  /** Null: the user may not install apps, or the phone does not run. */
  onFiles: ((files: readonly File[]) => void) | null
}

export function Apps({ project, phone, onFiles }: Props) {
  const list = useQuery({
    queryKey: ['installs', project, phone],
    queryFn: () => call('GET /projects/:project/phones/:phone/installs', { project, phone }),
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === 'running') === true ? 2000 : 10_000,
  })
  return (
    <div className="grid gap-3">
      {onFiles && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="hidden text-muted sm:block">Drop an .apk anywhere on this page to install it.</p>
          <ChooseFiles label="Choose an .apk…" accept=".apk" onFiles={onFiles} />
        </div>
      )}
      <Card>
        <Loaded query={list}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="p-4 text-muted">No app was installed on this phone yet.</p>
            ) : (
              <ul aria-label="Installs" className="divide-y divide-border">
                {data.map((install, index) => (
                  <li key={index} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 sm:px-5">
                    <bdi className="min-w-0 flex-1 basis-48 truncate font-mono text-[13px]">
                      {install.package}
                    </bdi>
                    <Badge tone={tones[install.status]}>{install.error ?? install.status}</Badge>
                    <span className="text-[13px] text-muted">
                      {install.started_at !== null && <Time at={install.started_at} />}
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
    </div>
  )
}
