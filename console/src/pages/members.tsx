/** The members of a project, and invitations. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Plus, Users } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/client'
import { isAtLeast, useSession } from '../api/session'
import { type Invitation, type Member, type Role } from '../api/types'
import { useChange } from '../shell/use-change'
import { useProject } from '../shell/project'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { Ask, Confirm } from '../ui/dialog'
import { ListCard } from '../ui/list-card'
import { Name } from '../ui/name'
import { Card, Page } from '../ui/page'
import { Select } from '../ui/select'
import { Time } from '../ui/time'
import { Invite } from './members/invite'

const roleNames = { owner: 'Owner', member: 'Member', viewer: 'Viewer' } as const satisfies Record<
  Role,
  string
>

export function Members() {
  const { project: id } = useParams({ from: '/inside/projects/$project/members' })
  const mayChange = isAtLeast(useProject()?.role ?? 'viewer', 'owner')
  const [isInviting, setIsInviting] = useState(false)
  const list = useQuery({
    queryKey: ['members', id],
    queryFn: () => call('GET /projects/:project/members', { project: id }),
  })
  const { data: members = [], invitations = [] } = list.data ?? {}
  return (
    <Page
      title="Members"
      description="Viewers only read pages. Members also create keys and use phones. Owners also manage members."
      actions={
        mayChange && (
          <Button look="primary" onClick={() => setIsInviting(true)}>
            <Plus aria-hidden /> Invite
          </Button>
        )
      }
    >
      <ListCard
        query={list}
        items={members}
        icon={<Users className="size-5" />}
        label="Members"
        none="No members"
        hint={<p>Operators can use this project. Invite the people who work with it.</p>}
      >
        {(member) => <MemberRow key={member.user_id} project={id} member={member} mayChange={mayChange} />}
      </ListCard>
      {invitations.length > 0 && (
        <section className="grid gap-3" aria-labelledby="invited">
          <h2 id="invited" className="font-semibold">
            Invited
          </h2>
          <Card>
            <ul aria-labelledby="invited" className="divide-y divide-border">
              {invitations.map((invitation) => (
                <InvitationRow key={invitation.id} project={id} invitation={invitation} />
              ))}
            </ul>
          </Card>
        </section>
      )}
      <Invite project={id} isOpen={isInviting} onOpenChange={setIsInviting} />
    </Page>
  )
}

function MemberRow({ project, member, mayChange }: { project: string; member: Member; mayChange: boolean }) {
  const { user } = useSession()
  const [isRemoving, setIsRemoving] = useState(false)
  const change = useChange(['members', project])
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-full sm:basis-48">
        <p className="truncate font-medium">
          <Name>{member.name}</Name>
          {member.user_id === user?.id && <span className="font-normal text-muted"> (you)</span>}
        </p>
        <p className="truncate text-[13px] text-muted">
          {member.email} · since <Time at={member.since} />
        </p>
      </div>
      {mayChange ? (
        <>
          <Select
            isSmall
            className="flex-1 sm:flex-none"
            aria-label={`Role of ${member.name}`}
            value={member.role}
            disabled={change.isPending}
            onChange={({ target }) => {
              const role = target.value as Role
              change.mutate(() =>
                call('PATCH /projects/:project/members/:user', { project, user: member.user_id }, { role }),
              )
            }}
          >
            {Object.entries(roleNames).map(([role, name]) => (
              <option key={role} value={role}>
                {name}
              </option>
            ))}
          </Select>
          <Button size="small" aria-label={`Remove ${member.name}`} onClick={() => setIsRemoving(true)}>
            Remove
          </Button>
        </>
      ) : (
        <Badge isKind>{roleNames[member.role]}</Badge>
      )}
      <Confirm
        isOpen={isRemoving}
        onOpenChange={setIsRemoving}
        title={<Ask verb="Remove" name={member.name} />}
        description="They lose access to this project at once. Keys that they created stay valid until you revoke them."
        action="Remove member"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate(
            () => call('DELETE /projects/:project/members/:user', { project, user: member.user_id }),
            { onSuccess: () => setIsRemoving(false) },
          )
        }
      />
    </li>
  )
}

function InvitationRow({ project, invitation }: { project: string; invitation: Invitation }) {
  const change = useChange(['members', project])
  return (
    <li className="flex items-center gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{invitation.email}</p>
        <p className="text-[13px] text-muted">
          {roleNames[invitation.role]} · expires <Time at={invitation.expires_at} />
        </p>
      </div>
      <Button
        size="small"
        isBusy={change.isPending}
        aria-label={`Withdraw the invitation of ${invitation.email}`}
        onClick={() =>
          change.mutate(() =>
            call('DELETE /projects/:project/invitations/:invitation', { project, invitation: invitation.id }),
          )
        }
      >
        Withdraw
      </Button>
    </li>
  )
}
