import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { Field } from '@/lib/validate/field';
import type { RuleContext } from '@/lib/validate/rule';
import { type Finding, validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { type Client, clientOf, type Profile } from '@/lib/xds/profile';
import { CDS, EDS, formatResourceType, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import { readEnforcedConstraints } from '@/server/codec/constraints';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeBody } from '@/server/codec/encode-body';
import { buildOddResources, type OddResource } from '../../support/builders/odd-resources/odd-resources';
import { waitUntil } from '../../support/wait-until';
import type { ClientPeer, Prepared } from '../peer';
import { profileOfPeer } from '../peer-profile';
import type { Results } from '../results';
import { type Answered, answerOf } from './answer';
import { findExplained } from './explained';
import { namesOf, startTested, type Tested } from './tested-client';

export const chapter = 'verdicts';

const sampleSize = 200;
/** The sample is the same in every run, so that a difference is not found by chance. */
const seed = 20;
/** A process that ends because of a resource it ACKed has ended by then, even on a busy machine. */
const crashMs = 5_000;

interface Compared {
  readonly resource: OddResource;
  readonly expected: Answered['answer'];
  readonly found: Answered;
  readonly findings: readonly Finding[];
}

/** Serves odd resources to one client, each alone, and compares its answers with our validation for its profile. */
export async function runVerdicts(options: {
  readonly peer: ClientPeer;
  readonly prepared: Prepared;
  readonly workDir: string;
  readonly isFull: boolean;
  /** A pattern: the titles of the only resources to serve. */
  readonly only: string | undefined;
  readonly results: Results;
  readonly print: (line: string) => void;
}): Promise<void> {
  const { peer, prepared, isFull, only, results, print } = options;
  const title = `${peer.name} ${prepared.version}`;
  const of = { flavor: peer.flavor, peer: title, protocol: 'sotw', server: 'scripted', chapter } as const;
  const workDir = path.join(options.workDir, `${peer.name}-${prepared.version}-${chapter}`);
  mkdirSync(workDir, { recursive: true });
  const profile = profileOfPeer(peer, prepared);
  const client = clientOf(profile);
  const all = buildOddResources().filter(({ typeUrl }) => client === 'envoy' || typeUrl !== SDS.typeUrl);
  const titles = new RegExp(only ?? '');
  const chosen = (isFull ? all : sample(all)).filter((each) => titles.test(each.title));
  const counts = { equal: 0, explained: 0, differing: 0 };
  const table: object[] = [];
  if (titles.test('types that are mixed')) {
    const moment = 'types that are mixed';
    try {
      await runMixedTypes(() =>
        startTested(peer, prepared, { typeUrl: CDS.typeUrl, isServer: false, workDir }),
      );
      print(results.pass({ ...of, moment }));
    } catch (error) {
      print(results.fail({ ...of, moment }, error));
    }
  }
  for (const { typeUrl, isServer } of [...(client === 'java' ? [ofServer] : []), LDS, RDS, CDS, EDS, SDS].map(
    (each) => ({ isServer: false, ...each }),
  )) {
    const resources = chosen.filter(
      (each) => each.typeUrl === typeUrl && isServer === (client === 'java' && isSocketListener(each)),
    );
    if (resources.length === 0) continue;
    const moment = `${formatResourceType(typeUrl)}${isServer ? ' of a server' : ''}`;
    try {
      const differing: string[] = [];
      const start = () => startTested(peer, prepared, { typeUrl, isServer, workDir });
      for await (const each of compare(resources, start, profile, contextOf(client))) {
        const explained = findExplained(title, each.resource.title, profile, each);
        const outcome = each.expected === each.found.answer ? 'equal' : explained ? 'explained' : 'differing';
        counts[outcome] += 1;
        table.push({
          title: each.resource.title,
          ...each.found,
          expected: each.expected,
          outcome,
          explained,
        });
        if (outcome === 'differing') differing.push(describe(each));
      }
      if (differing.length > 0) throw new Error(`${differing.length} differ\n${differing.join('\n')}`);
      print(results.pass({ ...of, moment }));
    } catch (error) {
      print(results.fail({ ...of, moment }, error));
    }
  }
  writeFileSync(path.join(workDir, 'verdicts.json'), JSON.stringify(table, null, 1));
  const compared = counts.equal + counts.explained + counts.differing;
  print(
    `verdicts, ${title} (profile ${profile}): ${counts.equal} equal, ${counts.explained} explained, ${counts.differing} differ, of ${compared}`,
  );
}

/** A response with a cluster and an EDS resource is NACKed, and the same one without the second is ACKed. */
async function runMixedTypes(start: () => Promise<Tested>): Promise<void> {
  const tested = await start();
  try {
    const cluster = encodeBody(CDS.typeUrl, {
      ...{ name: tested.name, type: 'EDS', connectTimeout: '1s' },
      edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' } },
    });
    const other = { typeUrl: EDS.typeUrl, value: encodeBody(EDS.typeUrl, { clusterName: tested.name }) };
    const answers = [await tested.ask(cluster, [other]), await tested.ask(cluster)];
    const found = answers.map(({ answer }) => answer).join(', ');
    if (found !== 'NACK, ACK')
      throw new Error(`expected NACK, ACK, got ${found}: ${answers.map(({ text }) => text).join('; ')}`);
  } finally {
    await tested.stop();
  }
}

/** The channel of grpc-java 1.60 fails for good when the Listener of its target is a socket listener. */
const ofServer = { ...LDS, isServer: true };

function isSocketListener({ typeUrl, bytes }: OddResource): boolean {
  if (typeUrl !== LDS.typeUrl) return false;
  const { json } = decodeBody(typeUrl, bytes('tested'), { asV3: true });
  return new Field(json).unreadable === undefined && !new Field(json).at('apiListener').exists;
}

function sample(all: readonly OddResource[]): OddResource[] {
  const size = { minLength: sampleSize, maxLength: sampleSize };
  const [chosen = []] = fc.sample(fc.subarray([...all], size), { seed, numRuns: 1 });
  return chosen;
}

function contextOf(client: Client): RuleContext {
  const { clusters, tested } = namesOf(client === 'envoy' ? 'envoy' : 'grpc');
  const context = {
    ...{ certificateProviders: new Set<string>(), subscribedName: tested[EDS.typeUrl] ?? '' },
    isWithoutClient: true,
  };
  return client === 'envoy' && clusters !== undefined
    ? { ...context, clusters, constraints: readEnforcedConstraints() }
    : context;
}

async function* compare(
  resources: readonly OddResource[],
  start: () => Promise<Tested>,
  profile: Profile,
  context: RuleContext,
): AsyncGenerator<Compared> {
  let tested = await start();
  let last: Compared | undefined;
  const restart = async (): Promise<void> => {
    await tested.stop();
    tested = await start();
  };
  /** Asks a new client if this one has ended, or no longer answers. Then what it ACKed last may have broken it. */
  const ask = async (bytes: Uint8Array): Promise<Answered> => {
    const before = tested.ended();
    const found = before === undefined ? await tested.ask(bytes) : undefined;
    if (found !== undefined && (isAnswered(found) || last === undefined)) return found;
    await restart();
    const again = await tested.ask(bytes);
    if (!isAnswered(again) || last?.found.answer !== 'ACK') return again;
    const reason = before ?? (await endOf(last.resource));
    if (reason !== undefined) last = { ...last, found: { answer: 'ended', text: reason } };
    return again;
  };
  /** Returns the reason why a new client ends after the resource, or answers nothing, if it does. */
  const endOf = async (resource: OddResource): Promise<string | undefined> => {
    await restart();
    const bytes = resource.bytes(tested.name);
    await tested.ask(bytes);
    await awaitEnd(tested);
    const isSilent = tested.ended() === undefined && !isAnswered(await tested.ask(bytes));
    const reason = isSilent ? 'It answers nothing afterwards.' : tested.ended();
    await restart();
    return reason;
  };
  try {
    for (const resource of resources) {
      const bytes = resource.bytes(tested.name);
      const { json } = decodeBody(resource.typeUrl, bytes, { asV3: true });
      const findings = validateResource(resource.typeUrl, json, context);
      const expected = answerOf(verdictOf(findings, profile));
      let found = await ask(bytes);
      if (last !== undefined) yield last;
      if (expected === 'ended' && found.answer === 'ACK') {
        // A client that has served other resources may end only with its next update.
        const text = await endOf(resource);
        if (text !== undefined) found = { answer: 'ended', text };
      }
      last = { resource, expected, found, findings };
      if (!isAnswered(found)) await restart();
    }
    const [first] = resources;
    if (first !== undefined) await ask(first.bytes(tested.name));
    if (last !== undefined) yield last;
  } finally {
    await tested.stop();
  }
}

function isAnswered({ answer }: Answered): boolean {
  return answer === 'ACK' || answer === 'NACK';
}

async function awaitEnd(tested: Tested): Promise<void> {
  const end = Date.now() + crashMs;
  await waitUntil('the client ends, or serves on', async () => {
    return tested.ended() !== undefined || Date.now() > end;
  });
}

function describe({ resource, expected, found, findings }: Compared): string {
  const rules = findings.map(({ ruleId, message }) => `${ruleId} ${message}`).join('; ');
  return `         ${resource.title}: expected ${expected} (${rules || 'no rule'}), got ${found.answer} ${found.text.slice(0, 300)}`;
}
