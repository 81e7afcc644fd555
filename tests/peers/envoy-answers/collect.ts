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
const workDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-envoy-answers-'));
const before =
  added === undefined ? readEnvoyAnswers() : (JSON.parse(readFileSync(added, 'utf8')) as EnvoyAnswer[]);

async function answersOf(version: string): Promise<EnvoyAnswer[]> {
  const prepared = await preparePeer(envoy, version);
  const answers: EnvoyAnswer[] = [];
  for (const { service, typeUrl } of [LDS, RDS, CDS, EDS]) {
    const dir = path.join(workDir, version, service);
    mkdirSync(dir, { recursive: true });
    const oracle = new EnvoyOracle(prepared, typeUrl, dir);
    for (const { title, resource } of before.filter((each) => each.service === service)) {
      try {
        const name = typeUrl === EDS.typeUrl ? 'clusterName' : 'name';
        const named = { ...resource, [name]: oracle.name };
        const { answer, text } = await oracle.ask(encodeBody(typeUrl, JSON.parse(JSON.stringify(named))));
        answers.push({
          service,
          title,
          answer,
          text: text.replace(/\s+/g, ' ').slice(-200),
          resource: named,
        });
      } catch (error) {
        if (!(error instanceof CodecError)) throw error;
        process.stdout.write(`${service} ${title} is left out: ${error.message}\n`);
      }
    }
    await oracle.stop();
  }
  return answers;
}

const answers = await answersOf('1.40.0');
const earlier = await answersOf('1.36.2');
writeEnvoyAnswers(
  answers.map((each, index) => {
    const { answer, text } = earlier[index] ?? each;
    return answer === each.answer ? each : { ...each, of136: { answer, text } };
  }),
);
process.stdout.write(`${answers.length} answers of Envoy 1.40.0, and of 1.36.2\n`);
process.exit(0);
