import path from 'node:path';
import { waitUntil } from '../support/wait-until';
import type { Chapter } from './moments';
import { checkBugs, provokedBugs } from './provoked-bugs';
import type { Results } from './results';
import { Story, type StoryOptions } from './story';

/** Runs one chapter with a client and a control plane of its own. */
export async function runChapter(
  chapter: Chapter,
  options: Omit<StoryOptions, 'isKnown'>,
  results: Results,
  print: (line: string) => void,
): Promise<void> {
  const { peer, prepared, protocol, server } = options;
  const of = {
    flavor: peer.flavor,
    peer: `${peer.name} ${prepared.version}`,
    protocol,
    server,
    chapter: chapter.name,
  };
  let moment = 'start';
  const workDir = path.join(
    options.workDir,
    `${peer.name}-${prepared.version}-${protocol}-${server.replace(' ', '-')}`,
  );
  const isKnown: StoryOptions['isKnown'] = (cell) => results.findKnown({ ...of, moment }, cell) !== undefined;
  let story: Story | undefined;
  const bugs = new Set<string>();
  try {
    story = await Story.start({ ...options, workDir, isKnown }, chapter);
    for (const { name, only = peer.flavor, peers, run } of chapter.moments) {
      if (only !== peer.flavor || peers?.test(of.peer) === false) continue;
      moment = name;
      await run(story);
      const { cells, account } = await story.compare();
      for (const line of results.add({ ...of, moment }, cells, account)) print(line);
      for (const bug of await story.bugs()) bugs.add(bug);
    }
    // Some are known by the end of a stream, which the client need not end at once.
    const provoked = provokedBugs(of.peer, chapter.name);
    const running = story;
    await waitUntil(`the known bugs are stated: ${provoked.join(', ')}`, async () => {
      for (const bug of await running.bugs()) bugs.add(bug);
      return provoked.every((bug) => bugs.has(bug));
    });
    checkBugs(of.peer, chapter.name, bugs);
  } catch (error) {
    print(results.fail({ ...of, moment }, error));
  } finally {
    await story?.close();
  }
}
