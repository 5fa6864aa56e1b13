/** Links by operators that are not used yet. Each link gives access to its holder. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/client'
import { type OperatorLink } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { Button } from '../../ui/button'
import { Name } from '../../ui/name'
import { Card } from '../../ui/page'
import { Time } from '../../ui/time'
import { Listed } from './listed'

export function OpenLinks() {
  const links = useQuery({
    queryKey: ['operator', 'links'],
    queryFn: () => call('GET /operator/invitations', {}),
  })
  return (
    <section className="grid gap-3" aria-labelledby="links">
      <h2 id="links" className="font-semibold">
        Open links
      </h2>
      <Listed query={links}>
        {({ data }) => (
          <Card>
            {data.length === 0 ? (
              <p className="px-4 py-3 text-muted sm:px-5">
                No link for an operator or a new password is open.
              </p>
            ) : (
              <ul aria-labelledby="links" className="divide-y divide-border">
                {data.map((link) => (
                  <LinkRow key={link.id} link={link} />
                ))}
              </ul>
            )}
          </Card>
        )}
      </Listed>
    </section>
  )
}

const purposeOf = ({ role, email }: OperatorLink): string =>
  role === 'operator' ? 'New operator' : `New password of ${email ?? 'a user'}`

function LinkRow({ link }: { link: OperatorLink }) {
  const change = useChange(['operator'])
  return (
    <li className="flex items-center gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">
          <Name>{purposeOf(link)}</Name>
        </p>
        <p className="truncate text-[13px] text-muted">
          by {link.created_by} · expires <Time at={link.expires_at} />
        </p>
      </div>
      <Button
        size="small"
        isBusy={change.isPending}
        aria-label={`Withdraw ${link.id}`}
        onClick={() =>
          change.mutate(() => call('DELETE /operator/invitations/:invitation', { invitation: link.id }))
        }
      >
        Withdraw
      </Button>
    </li>
  )
}
