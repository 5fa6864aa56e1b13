/** The parts of the service and their state, and the pause of the whole service. */
import { useQuery } from '@tanstack/react-query'
import { Pause, Play } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { call } from '../../api/client'
import { type System } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Confirm } from '../../ui/dialog'
import { Card, Page } from '../../ui/page'
import { Time } from '../../ui/time'
import { Facts, Listed } from './listed'
import { OpenLinks } from './open-links'
import { bytesText } from '../../ui/bytes'
import { clockText } from './texts'

/** Milliseconds between two reads. */
const refreshMs = 5000

const storageNames = { fs: 'a folder', s3: 'an S3 bucket' } as const

export function SystemPage() {
  const system = useQuery({
    queryKey: ['operator', 'system'],
    queryFn: () => call('GET /operator/system', {}),
    refetchInterval: refreshMs,
  })
  return (
    <Page title="System" description="The parts of this service, as seen by the replica that answers.">
      <Listed query={system}>{(data) => <Parts system={data} />}</Listed>
      <OpenLinks />
    </Page>
  )
}

const Part = ({ title, state, children }: { title: string; state?: ReactNode; children: ReactNode }) => (
  <Card className="grid grid-cols-1 content-start gap-4 p-4 sm:p-5">
    <div className="flex items-center justify-between gap-3">
      <h2 className="font-semibold">{title}</h2>
      {state}
    </div>
    {children}
  </Card>
)

function Parts({ system }: { system: System }) {
  const { service, postgres, nats, storage, replicas } = system
  return (
    <>
      <Service pausedAt={service.paused_at} />
      <Part title="Postgres" state={<Badge tone="good">available</Badge>}>
        <Facts
          facts={[
            ['Version', postgres.version ?? 'not known'],
            ['Size', bytesText(postgres.size_bytes)],
            ['Connections', `${postgres.connections} of ${postgres.max_connections}`],
            ['Schema', postgres.schema],
            ...(service.devices_to_confirm === 0
              ? []
              : [['Devices to confirm after a restore', service.devices_to_confirm] as const]),
          ]}
        />
      </Part>
      <div className="grid grid-cols-1 gap-5 md:grid-cols-2">
        <Part
          title="NATS"
          state={
            <Badge tone={nats.is_connected ? 'good' : 'danger'}>
              {nats.is_connected ? 'connected' : 'not connected'}
            </Badge>
          }
        >
          <p className="text-muted">
            {nats.is_connected
              ? 'Hosts report over this connection.'
              : 'Hosts cannot report. Running phones continue, and become unavailable if this lasts.'}
          </p>
        </Part>
        <Part title="Storage">
          <p className="text-muted">
            {storage.kind === 'off'
              ? 'Off: recordings, uploads and apps of the library are refused.'
              : `Recordings, uploads and apps of the library are in ${storageNames[storage.kind]}:`}
            {storage.place !== null && (
              <span className="block font-mono text-[13px] break-all text-foreground">{storage.place}</span>
            )}
          </p>
        </Part>
      </div>
      <Part title="Replicas">
        <Facts
          facts={[
            ['Version', system.version],
            ['Answers now', system.replica_id],
            ['Clock against Postgres', clockText(system.clock_ahead_ms)],
          ]}
        />
        <ul aria-label="Replicas" className="divide-y divide-border rounded-md border border-border">
          {replicas.map((replica) => (
            <li key={replica.id} className="flex items-center justify-between gap-3 px-3 py-2">
              <span className="min-w-0 truncate font-mono text-[13px]">
                <bdi>{replica.id}</bdi>
              </span>
              <span className="flex shrink-0 items-center gap-3">
                <span className="text-[13px] text-muted">
                  <Time at={replica.beat_at} />
                </span>
                <Badge tone={replica.is_running ? 'good' : 'quiet'}>
                  {replica.is_running ? 'running' : 'ended'}
                </Badge>
              </span>
            </li>
          ))}
        </ul>
      </Part>
    </>
  )
}

function Service({ pausedAt }: { pausedAt: string | null }) {
  const [isAsking, setIsAsking] = useState(false)
  const change = useChange(['operator'])
  return (
    <Part
      title="Service"
      state={
        <Badge tone={pausedAt === null ? 'good' : 'warn'}>{pausedAt === null ? 'running' : 'paused'}</Badge>
      }
    >
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">
          {pausedAt === null ? (
            'Phones can be rented and started.'
          ) : (
            <>
              No phone can start since <Time at={pausedAt} />.
            </>
          )}
        </p>
        {pausedAt === null ? (
          <Button onClick={() => setIsAsking(true)}>
            <Pause aria-hidden /> Pause the service…
          </Button>
        ) : (
          <Button
            look="primary"
            isBusy={change.isPending}
            onClick={() => change.mutate(() => call('POST /operator/service/resume', {}))}
          >
            <Play aria-hidden /> Resume the service
          </Button>
        )}
      </div>
      <Confirm
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        title="Pause the whole service?"
        description="All running phones of all projects are parked, and none can start until you resume the service. Apps and files stay."
        action="Pause service"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate(() => call('POST /operator/service/pause', {}), {
            onSuccess: () => setIsAsking(false),
          })
        }
      />
    </Part>
  )
}
