// Sends resources that Envoy rejects to each version of Envoy, and writes its error texts. See README.md of the suite.
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { preparePeer } from '../cache';
import { startChild } from '../child';
import { type ControlPlane, startScriptedServer } from '../control-plane';
import { envoy } from '../envoy/peer';
import { bootstrapOf } from './bootstrap';
import type { NackCase } from './case';
import { nackCases, validResources } from './cases';

const patienceMs = 4_000;

export interface NackText {
  readonly service: string;
  readonly title: string;
  readonly name: string;
  readonly resource: object;
  readonly field: string;
  readonly cause: NackCase['cause'];
  /** The key is the version of Envoy. */
  readonly texts: Record<string, string>;
}

interface Running {
  readonly server: ControlPlane;
  stop(): Promise<void>;
}

async function start(dir: string, workDir: string): Promise<Running> {
  const server = await startScriptedServer();
  for (const { typeUrl, name, resource } of validResources) {
    await server.push(typeUrl, [{ typeUrl, name, bytes: encodeBody(typeUrl, resource) }], 'v0');
  }
  for (const { typeUrl } of [CDS, LDS]) await server.push(typeUrl, [], 'v0');
  const binary = path.join(dir, 'envoy', '_bin', 'envoy');
  chmodSync(binary, 0o755);
  const adminPort = await freePort();
  const config = path.join(workDir, 'envoy.json');
  writeFileSync(config, JSON.stringify(bootstrapOf(server.target, adminPort), null, 2));
  const baseId = String(adminPort);
  const flags = ['--base-id', baseId, '--concurrency', '1', '--disable-hot-restart', '--log-level', 'warn'];
  const child = startChild(binary, ['--config-path', config, ...flags], {
    logFile: path.join(workDir, 'envoy.log'),
  });
  await waitUntil('Envoy is live', async () => {
    if (child.ended() !== undefined) throw new Error(`Envoy ended, see ${workDir}/envoy.log`);
    return (await (await fetch(`http://127.0.0.1:${adminPort}/ready`)).text()).startsWith('LIVE');
  });
  return {
    server,
    async stop() {
      await child.stop();
      await server.close();
    },
  };
}

async function provoke(
  { server }: Running,
  { type: { typeUrl }, name, resource, isTwice, isUndecodable }: NackCase,
  version: string,
): Promise<string | null | undefined> {
  const valid = encodeBody(typeUrl, JSON.parse(JSON.stringify(resource)));
  // A field of wire type 2 that claims more bytes than follow.
  const bytes = isUndecodable === true ? Buffer.concat([valid, Buffer.from([0xfa, 0x7f, 0x7f])]) : valid;
  const served = { typeUrl, name, bytes };
  const copy = { typeUrl, name: `${name} again`, bytes };
  await server.push(typeUrl, isTwice === true ? [served, copy] : [served], version);
  const answer = async () =>
    (await server.events()).find(
      (event) => event.typeUrl === typeUrl && event.version === version && /^n?ack$/.test(event.kind),
    );
  try {
    const { kind, text } = await waitUntil('an answer', answer, patienceMs);
    return kind === 'nack' ? text : null;
  } catch {
    return undefined;
  }
}

const only = process.argv[2];
const collected = new Map<NackCase, Record<string, string>>();
const out: NackText[] = [];
const cases = nackCases.filter(({ type }) => only === undefined || type.service === only);
for (const version of envoy.versions) {
  const { dir } = await preparePeer(envoy, version);
  const workDir = mkdtempSync(path.join(os.tmpdir(), `nack-texts-${version}-`));
  let running = await start(dir, workDir);
  for (const [place, each] of cases.entries()) {
    const text = await provoke(running, each, `v${place + 1}`);
    const texts = collected.get(each) ?? {};
    collected.set(each, texts);
    if (typeof text === 'string') texts[version] = text;
    if (text === undefined) {
      process.stdout.write(`${version} ${each.type.service} ${each.title}: no answer, see ${workDir}\n`);
      await running.stop();
      running = await start(dir, workDir);
    }
    if (text === null) process.stdout.write(`${version} ${each.type.service} ${each.title}: ACK\n`);
  }
  await running.stop();
}
for (const [{ type, title, name, resource, field, cause }, texts] of collected) {
  if (Object.keys(texts).length > 0)
    out.push({ service: type.service, title, name, resource, field, cause, texts });
}
writeFileSync(
  process.env.NACK_TEXTS_OUT ?? 'tests/fixtures/nack-texts/envoy.json',
  `${JSON.stringify(out, null, 1)}\n`,
);
process.stdout.write(`${out.length} cases\n`);
