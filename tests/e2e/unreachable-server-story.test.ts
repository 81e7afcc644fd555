import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Story, startStory } from '../support/e2e-story';

let story: Story;
const args = ['--no-lab', '--csds', '127.0.0.1:1'];

beforeAll(async () => {
  story = await startStory(args);
});
afterAll(() => story.end());

describe('a server that does not answer', () => {
  it('leaves the page and its data, and the chosen page opens when it answers again', async () => {
    const page = await story.newPage();
    const { port } = new URL(story.server.url);
    await page.goto(story.server.url);
    const issue = page.getByRole('article', { name: /does not answer/ });
    await issue.waitFor();
    await story.server.stop('SIGKILL');

    await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'History' }).click();
    await page.getByText('Not connected to xdscope.').waitFor();
    expect(page.url()).toBe(`${story.server.url}/`);
    await issue.waitFor();

    // The last --port applies.
    await story.restart([...args, '--port', port]);
    await page.waitForURL(/\/history/);
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await page.getByText('Not connected to xdscope.').waitFor({ state: 'detached' });
  });
});
