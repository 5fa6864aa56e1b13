/** One webhook: its state, and its deliveries. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ArrowLeft, CircleAlert, Webhook as Icon } from 'lucide-react'
import { call } from '../api/client'
import { isAtLeast } from '../api/session'
import { type Webhook } from '../api/types'
import { useChanges } from '../shell/changes'
import { useProject } from '../shell/project'
import { Badge } from '../ui/badge'
import { Loaded } from '../ui/failed'
import { Notice } from '../ui/notice'
import { Card, Empty, Page } from '../ui/page'
import { Time } from '../ui/time'
import { WebhookActions } from './webhooks/actions'
import { Deliveries } from './webhooks/deliveries'
import { stateOf } from './webhooks/texts'

export function WebhookPage() {
  const { project, webhook: id } = useParams({ from: '/inside/projects/$project/webhooks/$webhook' })
  const mayChange = isAtLeast(useProject()?.role ?? 'viewer', 'member')
  const navigate = useNavigate()
  useChanges(project)
  // A project has few webhooks, so the page reads the list.
  const list = useQuery({
    queryKey: ['webhooks', project],
    queryFn: () => call('GET /projects/:project/webhooks', { project }),
  })
  const webhook = list.data?.data.find((each) => each.id === id)
  return (
    <Page
      title={webhook ? titleOf(webhook) : 'Webhook'}
      back={
        <Link
          to="/projects/$project/webhooks"
          params={{ project }}
          className="flex w-fit items-center gap-1.5 rounded text-[13px] text-muted hover:text-foreground"
        >
          <ArrowLeft className="size-3.5" aria-hidden /> Webhooks
        </Link>
      }
      actions={
        webhook &&
        mayChange && (
          <WebhookActions
            project={project}
            webhook={webhook}
            types={list.data?.types ?? []}
            onDeleted={() => navigate({ to: '/projects/$project/webhooks', params: { project } })}
          />
        )
      }
    >
      {webhook ? (
        <>
          <State webhook={webhook} />
          <Deliveries project={project} webhook={webhook} mayChange={mayChange} />
        </>
      ) : (
        <Card>
          <Loaded query={list}>
            {() => (
              <Empty icon={<Icon className="size-5" />} title="There is no such webhook">
                <p>It may have been deleted.</p>
              </Empty>
            )}
          </Loaded>
        </Card>
      )}
    </Page>
  )
}

/** The webhook's description, else the host of its address. */
const titleOf = ({ description, url }: Webhook): string => description || new URL(url).host

function State({ webhook }: { webhook: Webhook }) {
  const { tone, name, text } = stateOf(webhook)
  const { switched_off: off, failing_since: since, earlier_secret_expires_at: earlier } = webhook
  const at = off?.at ?? since
  return (
    <>
      {text !== null && (
        <Notice tone={tone === 'quiet' ? 'quiet' : 'warn'} icon={<CircleAlert aria-hidden />} title={text}>
          {at === null ? undefined : (
            <p>
              Since <Time at={at} />.
            </p>
          )}
        </Notice>
      )}
      <Card className="grid gap-4 p-4 sm:p-5">
        <div className="flex flex-wrap items-center gap-3">
          <Badge tone={tone}>{name}</Badge>
          <p className="min-w-0 font-mono text-[13px] break-all">
            <bdi>{webhook.url}</bdi>
          </p>
        </div>
        <p className="text-[13px] break-words text-muted">
          {webhook.events === null ? 'All events of the project' : webhook.events.join(', ')}
          {' · created '}
          <Time at={webhook.created_at} />
          {earlier !== null && (
            <>
              {' · the earlier secret is valid until '}
              <time dateTime={earlier}>{new Date(earlier).toLocaleString('en')}</time>
            </>
          )}
        </p>
      </Card>
    </>
  )
}
