import { mkdirSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { memoryMb } from '../bench/process-figures';
import { missingTools, preparePeer } from './cache';
import { startScriptedServer } from './control-plane';
import { envoy } from './envoy/peer';
import { grpcGo } from './grpc-go/peer';
import { grpcJsXds } from './grpc-js-xds/peer';
import { names } from './mesh';
import { Story } from './story';
import { startXdscope } from './xdscope';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, out: { type: 'string' } },
});
const durationMs = Number(values.minutes) * 60_000;
const samples = 60;
const changeEveryMs = 1_000;
/** The log is full after a part of the run, so that the disk can level off. */
const retention = ['--retention-megabytes', '8', '--retention-count', '20000'];
/** How far the last third may be above the second. */
const growth = { memoryMb: 1.1, handles: 1.02, diskMb: 1.1 };

interface Sample {
  readonly memoryMb: number;
  readonly handles: number;
  readonly diskMb: number;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const workDir = values.out ?? mkdtempSync(path.join(os.tmpdir(), 'xdscope-soak-'));
mkdirSync(workDir, { recursive: true });
print(`logs: ${workDir}`);
print(
  `${values.minutes} minutes of the lab and of peers behind a tap each; "a, b, c" are the three thirds of the run`,
);

let failed = 0;
let passed = 0;
const stories: Story[] = [];
for (const peer of [envoy, grpcGo, grpcJsXds]) {
  const missing = missingTools(peer);
  if (missing.length > 0) {
    print(`skipped: ${peer.name}: ${missing.join(', ')} not found`);
    if (process.env.CI === 'true') failed += 1;
    continue;
  }
  const prepared = await preparePeer(peer, peer.versions[0] ?? '');
  stories.push(
    await Story.start(
      {
        ...{ peer, prepared, protocol: 'sotw', workDir: path.join(workDir, peer.name), server: 'scripted' },
        ...{
          startServer: startScriptedServer,
          isKnown: () => true,
          xdscopeArguments: ['--no-lab', ...retention],
        },
      },
      { name: 'soak' },
    ),
  );
}
const server = await startScriptedServer();
const servers = [server.target] as const;
const args = [...retention, '--lab'];
const lab = await startXdscope({ vantage: 'csds', servers, entrances: servers, workDir, args });

const observed = new Map([
  ['lab', lab],
  ...stories.flatMap(({ nodeId, observers }) =>
    observers.map((observer) => [`${nodeId} ${observer.vantage}`, observer] as const),
  ),
]);
const taken = new Map([...observed.keys()].map((name): [string, Sample[]] => [name, []]));
const begin = Date.now();
let next = begin;
for (let round = 0; Date.now() - begin < durationMs; round += 1) {
  for (const story of stories) await change(story, round);
  if (Date.now() >= next) {
    next += durationMs / samples;
    for (const [name, { process }] of observed) taken.get(name)?.push(sample(process));
  }
  await new Promise((resolve) => setTimeout(resolve, changeEveryMs));
}
for (const story of stories) await story.close();
await lab.stop();
await server.close();

for (const [name, all] of taken) {
  for (const figure of ['memoryMb', 'handles', 'diskMb'] as const) {
    const third = Math.floor(all.length / 3);
    const medians = [0, 1, 2].map((part) =>
      median(all.slice(part * third, (part + 1) * third).map((each) => each[figure])),
    );
    const [, second = 0, last = 0] = medians;
    const isLevel = last <= second * growth[figure] + 1;
    if (isLevel) passed += 1;
    else failed += 1;
    const numbers = medians.map((each) => each.toFixed(1)).join(', ');
    print(`${isLevel ? 'ok    ' : 'FAILED'} ${name} ${figure}: ${numbers}`);
  }
}
print(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** Ten payloads of each type in turn; every tenth round has a NACK. */
async function change(story: Story, round: number): Promise<void> {
  const service = (['EDS', 'RDS', 'CDS', 'LDS'] as const)[round % 4] ?? 'EDS';
  const [name] = names[service];
  const fault = round % 10 === 9 ? 'invalid' : undefined;
  const part = { revision: 1 + (Math.floor(round / 4) % 10), fault } as const;
  if (service === 'CDS') await story.pushClusters([name, part]);
  else await story.push(service, [name, part]);
}

function sample({ pid, dataDir }: { readonly pid: number; readonly dataDir: string }): Sample {
  return {
    memoryMb: memoryMb(pid, 'VmRSS'),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    diskMb: sizeOf(dataDir) / 1e6,
  };
}

/** A file can be removed while the folder is read. */
function sizeOf(dir: string): number {
  const sizes = readdirSync(dir).map(
    (file) => statSync(path.join(dir, file), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
