/** One phone: its live view, control, actions, sessions, and the steps of agents. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ArrowLeft, Pause, Play, Smartphone, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call, messageOf } from '../api/client'
import { isAtLeast } from '../api/session'
import { type Phone } from '../api/types'
import { useChanges } from '../shell/changes'
import { useProject } from '../shell/project'
import { Button } from '../ui/button'
import { Copy } from '../ui/copy'
import { Ask, Confirm } from '../ui/dialog'
import { Loaded } from '../ui/failed'
import { Card, Empty, Page } from '../ui/page'
import { Time } from '../ui/time'
import { usePhoneChange } from './phone/change'
import { ControlBar } from './phone/control-bar'
import { LiveView } from './phone/live-view'
import { Details } from './phone/details'
import { canPark, canStart, PhoneBadge } from './phone/status'
import { Tools } from './phone/tools'
import { useControl } from './phone/use-control'

/** Milliseconds between two reads of the phone. Changes cause further reads. */
const refreshMs = 5000

export function PhonePage() {
  const { project, phone: id } = useParams({ from: '/inside/projects/$project/phones/$phone' })
  const mayChange = isAtLeast(useProject()?.role ?? 'viewer', 'member')
  useChanges(project)
  const found = useQuery({
    queryKey: ['phone', project, id],
    queryFn: () => call('GET /projects/:project/phones/:phone', { project, phone: id }),
    refetchInterval: ({ state }) => (state.data?.status === 'deleted' ? false : refreshMs),
  })
  const session = found.data?.session?.id ?? null
  const held = useControl(project, id, session)
  if (!found.data)
    return (
      <Page title="Phone">
        <Card>
          <Loaded query={found} />
        </Card>
      </Page>
    )
  const phone = found.data
  const isReady = phone.status === 'ready' && session !== null
  return (
    <Page
      title={phone.name}
      isWide
      back={
        <Link
          to="/projects/$project/phones"
          params={{ project }}
          className="flex w-fit items-center gap-1.5 rounded text-[13px] text-muted hover:text-foreground"
        >
          <ArrowLeft className="size-3.5" aria-hidden /> Phones
        </Link>
      }
      description={
        <span className="flex flex-wrap items-center gap-x-3">
          <PhoneBadge status={phone.status} />
          <span className="flex items-center font-mono text-xs">
            {phone.id}
            <Copy text={phone.id} what="ID" />
          </span>
          {phone.session && (
            <span>
              parks <Time at={phone.session.parks_at} />
            </span>
          )}
        </span>
      }
      actions={mayChange && phone.status !== 'deleted' && <Actions project={project} phone={phone} />}
    >
      {found.isRefetchError && (
        <p role="status" className="text-danger">
          Not up to date: {messageOf(found.error)}
        </p>
      )}
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(20rem,25rem)_minmax(0,1fr)]">
        <Card className="lg:sticky lg:top-18">
          {isReady ? (
            <>
              <ControlBar project={project} phone={id} mayControl={mayChange} held={held} />
              <LiveView project={project} phone={id} session={session} name={phone.name} />
            </>
          ) : (
            <Waiting project={project} phone={phone} mayChange={mayChange} isLost={held.isLost} />
          )}
        </Card>
        <Tools
          key={id}
          project={project}
          mayChange={mayChange}
          phone={id}
          isRunning={isReady}
          details={<Details project={project} phone={phone} />}
        />
      </div>
    </Page>
  )
}

const waiting: Readonly<Partial<Record<Phone['status'], string>>> = {
  creating: 'The phone is being prepared',
  starting: 'The phone is starting',
  ready: 'The phone is ready',
  parking: 'The phone is being parked',
  parked: 'The phone is parked, and costs nothing',
  unavailable: 'The phone lost its device',
  failed: 'The phone failed',
  deleted: 'The phone was deleted',
}

interface PhoneProps {
  project: string
  phone: Phone
}

interface WaitingProps extends PhoneProps {
  mayChange: boolean
  /** The user's take-over ended together with the session. */
  isLost: boolean
}

function Waiting({ project, phone, mayChange, isLost }: WaitingProps) {
  const change = usePhoneChange(project, phone.id)
  return (
    <Empty icon={<Smartphone className="size-5" />} title={waiting[phone.status] ?? phone.status}>
      {isLost && <p role="status">Your take-over has ended.</p>}
      {phone.failure && <p>{phone.failure.message}</p>}
      {mayChange && canStart(phone) && (
        <Button look="primary" isBusy={change.isPending} onClick={() => change.mutate('start')}>
          <Play aria-hidden /> Start
        </Button>
      )}
    </Empty>
  )
}

function Actions({ project, phone }: PhoneProps) {
  const [isDeleting, setIsDeleting] = useState(false)
  const navigate = useNavigate()
  const change = usePhoneChange(project, phone.id)
  return (
    <div className="flex flex-wrap gap-2">
      {canPark(phone) && (
        <Button isBusy={change.isPending} onClick={() => change.mutate('park')}>
          <Pause aria-hidden /> Park
        </Button>
      )}
      <Button disabled={change.isPending} onClick={() => setIsDeleting(true)}>
        <Trash2 aria-hidden /> Delete…
      </Button>
      <Confirm
        isOpen={isDeleting}
        onOpenChange={setIsDeleting}
        title={<Ask verb="Delete" name={phone.name} />}
        description="Its apps and files are erased, and cannot be restored."
        action="Delete phone"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate('delete', {
            onSuccess: () => void navigate({ to: '/projects/$project/phones', params: { project } }),
          })
        }
      />
    </div>
  )
}
