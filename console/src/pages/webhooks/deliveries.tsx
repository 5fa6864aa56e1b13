/** The deliveries of a webhook, newest first, with the last response as text. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { toast } from 'sonner'
import { call } from '../../api/client'
import { type Delivery, type Webhook } from '../../api/types'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ListCard, ShowMore, whileNewest } from '../../ui/list-card'
import { Time } from '../../ui/time'
import { useWebhookChange } from './actions'
import { deliveryTones, errorText } from './texts'

/** Milliseconds between two reads of the newest deliveries. */
const refreshMs = 3000

interface Props {
  project: string
  webhook: Webhook
  mayChange: boolean
}

export function Deliveries({ project, webhook, mayChange }: Props) {
  const list = useInfiniteQuery({
    queryKey: ['deliveries', project, webhook.id],
    queryFn: ({ pageParam }) =>
      call('GET /projects/:project/webhooks/:webhook/deliveries', {
        project,
        webhook: webhook.id,
        cursor: pageParam,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: whileNewest(refreshMs),
  })
  const deliveries = list.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <section className="grid min-w-0 gap-3" aria-labelledby="deliveries">
      <h2 id="deliveries" className="font-semibold">
        Deliveries
      </h2>
      <ListCard
        query={list}
        items={deliveries}
        icon={<Send className="size-5" />}
        label={{ id: 'deliveries' }}
        none="Nothing was sent yet"
        hint={<p>Events and tests are listed here, with the response to their last attempt.</p>}
      >
        {(delivery) => (
          <Row
            key={delivery.id}
            project={project}
            webhook={webhook}
            delivery={delivery}
            mayChange={mayChange}
          />
        )}
      </ListCard>
      <ShowMore pages={list} />
    </section>
  )
}

interface RowProps extends Props {
  delivery: Delivery
}

function Row({ project, webhook, delivery, mayChange }: RowProps) {
  const change = useWebhookChange(project)
  const { id, type, status, attempts, response } = delivery
  const problem = errorText(delivery)
  return (
    <li className="grid grid-cols-1 gap-1.5 px-4 py-3 sm:px-5">
      <div className="flex items-start gap-3">
        <div className="grid min-w-0 flex-1 gap-1">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={deliveryTones[status]}>{status}</Badge>
            <span className="font-mono text-[13px]">{type}</span>
            <span className="font-mono text-xs text-muted">{delivery.event}</span>
          </div>
          <p className="text-[13px] text-muted">
            {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
            {delivery.duration_ms !== null && `, the last took ${delivery.duration_ms} ms`}
            {' · created '}
            <Time at={delivery.created_at} />
            {delivery.next_attempt_at !== null && attempts > 0 && (
              <>
                {' · next attempt '}
                <Time at={delivery.next_attempt_at} />
              </>
            )}
          </p>
          {problem !== null && <p className="text-[13px] text-danger">{problem}</p>}
        </div>
        {mayChange && (
          <Button
            size="small"
            isBusy={change.isPending}
            aria-label={`Send again: ${type} ${delivery.event}`}
            onClick={() =>
              change.mutate(
                () =>
                  call('POST /projects/:project/webhooks/:webhook/deliveries/:delivery/retry', {
                    project,
                    webhook: webhook.id,
                    delivery: id,
                  }),
                { onSuccess: () => void toast.success('The event is sent again.') },
              )
            }
          >
            <Send className="sm:hidden" aria-hidden />
            <span className="hidden sm:inline">Send again</span>
          </Button>
        )}
      </div>
      {response !== null && <Response response={response} event={delivery.event} />}
    </li>
  )
}

/** The receiver's text is shown as plain text, in a box that limits its size. */
const Response = ({ response, event }: { response: NonNullable<Delivery['response']>; event: string }) => (
  <details className="min-w-0">
    <summary className="w-fit cursor-pointer rounded text-[13px] text-muted hover:text-foreground">
      Response {response.status}
      <span className="sr-only"> to {event}</span>
    </summary>
    {response.body === '' ? (
      <p className="pt-2 text-[13px] text-muted">It has no body.</p>
    ) : (
      <pre
        tabIndex={0}
        dir="ltr"
        aria-label={`Response to ${event}`}
        className="mt-2 max-h-60 min-w-0 overflow-auto rounded-md border border-border bg-code p-3 font-mono text-xs break-all whitespace-pre-wrap"
      >
        <bdi>{response.body}</bdi>
      </pre>
    )}
  </details>
)
