/** All projects with their credit and limits. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Boxes, Ellipsis, Snowflake, Sun, Wallet } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client'
import { type OperatorProject } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Ask, Confirm } from '../../ui/dialog'
import { Menu, MenuItem, MenuLine } from '../../ui/menu'
import { usdText } from '../../ui/money'
import { Card, Empty, Page } from '../../ui/page'
import { Credit, Limits } from './project-forms'
import { Listed } from './listed'

/** Milliseconds between two reads of the list. */
const refreshMs = 5000

export function AllProjects() {
  const list = useQuery({
    queryKey: ['operator', 'projects'],
    queryFn: () => call('GET /operator/projects', {}),
    refetchInterval: refreshMs,
  })
  const icon = <Boxes className="size-5" />
  return (
    <Page title="All projects" description="The credit and limits of each project of this service.">
      <Listed query={list}>
        {({ data }) => (
          <Card>
            {data.length === 0 ? (
              <Empty icon={icon} title="No projects yet" />
            ) : (
              <ul aria-label="Projects" className="divide-y divide-border">
                {data.map((project) => (
                  <Row key={project.id} project={project} />
                ))}
              </ul>
            )}
          </Card>
        )}
      </Listed>
    </Page>
  )
}

function Row({ project }: { project: OperatorProject }) {
  return (
    <li className="flex items-start gap-3 px-4 py-3 sm:items-center sm:px-5">
      <div className="grid min-w-0 flex-1 gap-x-6 gap-y-1 sm:grid-cols-[minmax(0,1fr)_10rem_11rem] sm:items-center">
        <div className="min-w-0">
          <p className="flex min-w-0 items-center gap-2 font-medium">
            <Link
              to="/projects/$project/phones"
              params={{ project: project.id }}
              className="truncate rounded hover:underline hover:underline-offset-2"
            >
              <bdi>{project.name}</bdi>
            </Link>
            {project.frozen_at !== null && <Badge tone="warn">frozen</Badge>}
          </p>
          <p className="truncate font-mono text-xs text-muted">{project.id}</p>
        </div>
        <p className="grid grid-cols-1 tabular-nums">
          <span>{usdText(project.balance_usd)} credit</span>
          <span className="text-[13px] text-muted">{usdText(project.reserved_usd)} reserved</span>
        </p>
        <p className="grid grid-cols-1 text-[13px] text-muted tabular-nums">
          <span>
            {project.max_phones} phones, {project.max_running} running
          </span>
          <span>{usdText(project.spend_limit_usd)} a month</span>
        </p>
      </div>
      <Actions project={project} />
    </li>
  )
}

function Actions({ project }: { project: OperatorProject }) {
  const [asked, setAsked] = useState<'credit' | 'limits' | 'freeze' | null>(null)
  const change = useChange(['operator'])
  const close = (): void => setAsked(null)
  return (
    <>
      <Menu
        trigger={
          <Button look="ghost" size="icon" aria-label={`Actions for ${project.name}`}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuItem onSelect={() => setAsked('credit')}>
          <Wallet aria-hidden /> Change the credit…
        </MenuItem>
        <MenuItem onSelect={() => setAsked('limits')}>
          <Boxes aria-hidden /> Change the limits…
        </MenuItem>
        <MenuLine />
        {project.frozen_at === null ? (
          <MenuItem isDangerous onSelect={() => setAsked('freeze')}>
            <Snowflake aria-hidden /> Freeze…
          </MenuItem>
        ) : (
          <MenuItem
            onSelect={() =>
              change.mutate(() =>
                call('PATCH /operator/projects/:project', { project: project.id }, { frozen: false }),
              )
            }
          >
            <Sun aria-hidden /> Unfreeze
          </MenuItem>
        )}
      </Menu>
      {asked === 'credit' && <Credit project={project} onClose={close} />}
      {asked === 'limits' && <Limits project={project} onClose={close} />}
      <Confirm
        isOpen={asked === 'freeze'}
        onOpenChange={close}
        title={<Ask verb="Freeze" name={project.name} />}
        description="All its running phones are parked, and none can start until you unfreeze it. Apps and files stay."
        action="Freeze project"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate(
            () => call('PATCH /operator/projects/:project', { project: project.id }, { frozen: true }),
            { onSuccess: close },
          )
        }
      />
    </>
  )
}
