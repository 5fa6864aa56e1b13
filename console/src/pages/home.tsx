import { Boxes } from 'lucide-react'
import { useState } from 'react'
import { NewProject } from '../shell/new-project'
import { Button } from '../ui/button'
import { Card, Empty, Page } from '../ui/page'

/** The page of a user without projects. */
export function Home() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Page title="Projects">
      <Card>
        <Empty icon={<Boxes className="size-5" />} title="You do not belong to a project yet">
          <p>Create a project, or ask an owner of a project to invite you.</p>
          <Button look="primary" onClick={() => setIsOpen(true)}>
            New project
          </Button>
        </Empty>
      </Card>
      <NewProject isOpen={isOpen} onOpenChange={setIsOpen} />
    </Page>
  )
}
