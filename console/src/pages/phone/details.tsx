/** Facts of a phone, its metadata, and its last sessions with their cost. */
import { type Phone } from '../../api/types'
import { Card } from '../../ui/page'
import { Time } from '../../ui/time'
import { Sessions } from './sessions'

export const Details = ({ project, phone }: { project: string; phone: Phone }) => (
  <div className="grid grid-cols-1 gap-5">
    <Facts phone={phone} />
    <Sessions project={project} phone={phone.id} open={phone.session?.id ?? null} />
  </div>
)

function Facts({ phone }: { phone: Phone }) {
  const facts = [
    ['Country', phone.country ?? 'any'],
    ['Created', <Time key="created" at={phone.created_at} />],
    ['Last used', phone.last_active_at === null ? 'never' : <Time key="used" at={phone.last_active_at} />],
    ...Object.entries(phone.metadata).map((entry) => entry as readonly [string, string]),
  ] as const
  return (
    <Card>
      <dl className="divide-y divide-border">
        {facts.map(([name, value], index) => (
          // A metadata name may equal the name of another fact, so the key contains the index.
          <div key={`${index} ${name}`} className="flex items-baseline justify-between gap-4 px-4 py-2.5">
            <dt className="min-w-0 truncate text-muted">
              <bdi>{name}</bdi>
            </dt>
            <dd className="min-w-0 truncate text-right">
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
