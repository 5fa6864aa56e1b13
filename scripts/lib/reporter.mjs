// A reporter of vitest. It appends a line of JSON for each test file as soon as the file has ended, so that
// an interrupted run keeps its results. checks.mjs reads the lines.
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const root = path.resolve(import.meta.dirname, '..', '..')
const write = (line) => appendFileSync(process.env.PHONERACK_REPORT, `${JSON.stringify(line)}\n`)
const messagesOf = (errors) =>
  errors.map(({ message, stack }) => message || stack || 'an error without a message')

export default class {
  /** A file that could not be loaded, or whose hook failed, has errors outside its tests. */
  onTestModuleEnd(module) {
    const tests = [...module.children.allTests()].map((test) => ({
      title: test.name,
      fullName: test.fullName,
      state: test.result().state,
      errors: messagesOf(test.result().errors ?? []),
    }))
    const suites = [...module.children.allSuites()].flatMap((suite) => messagesOf(suite.errors()))
    write({
      file: path.relative(root, module.moduleId),
      ms: Math.round(module.diagnostic().duration),
      errors: [...messagesOf(module.errors()), ...suites],
      tests,
    })
  }

  /** Errors outside tests, such as a rejected promise that nothing awaits. */
  onTestRunEnd(modules, errors) {
    if (errors.length > 0) write({ outside: messagesOf(errors) })
  }
}
