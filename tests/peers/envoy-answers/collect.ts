// Sends the resources of the fixture to Envoy, each alone, and writes its answers. CASES is a JSON file with resources to add.
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { CodecError } from '@/server/codec/codec-error';
import { encodeBody } from '@/server/codec/encode-body';
import { type EnvoyAnswer, readEnvoyAnswers, writeEnvoyAnswers } from '../../support/envoy-answers';
import { preparePeer } from '../cache';
import { envoy } from '../envoy/peer';
import { EnvoyOracle } from './envoy-oracle';

const [added] = process.argv.slice(2);
const version = '1.40.0';
const prepared = await preparePeer(envoy, version);
const workDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-envoy-answers-'));
const before =
  added === undefined ? readEnvoyAnswers() : (JSON.parse(readFileSync(added, 'utf8')) as EnvoyAnswer[]);
const answers: EnvoyAnswer[] = [];
for (const { service, typeUrl } of [LDS, RDS, CDS, EDS]) {
  const dir = path.join(workDir, service);
  mkdirSync(dir);
  const oracle = new EnvoyOracle(prepared, typeUrl, dir);
  for (const { title, resource } of before.filter((each) => each.service === service)) {
    try {
      const name = typeUrl === EDS.typeUrl ? 'clusterName' : 'name';
      const named = { ...resource, [name]: oracle.name };
      const { answer, text } = await oracle.ask(encodeBody(typeUrl, JSON.parse(JSON.stringify(named))));
      answers.push({ service, title, answer, text: text.replace(/\s+/g, ' ').slice(-200), resource: named });
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      process.stdout.write(`${service} ${title} is left out: ${error.message}\n`);
    }
  }
  await oracle.stop();
}
writeEnvoyAnswers(answers);
process.stdout.write(`${answers.length} answers of Envoy ${version}\n`);
process.exit(0);
