import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { validateResource } from '@/lib/validate/validate-resource';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { readConstraints } from '@/server/codec/constraints';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeBody } from '@/server/codec/encode-body';
import type { Body } from '@/server/observe';
import { Validator } from '@/server/validate/document-validator';
import { watchLoop } from './watch-loop';

const clusters = 10_000;
const endpointsPerCluster = 5;
const redactionKey = Buffer.from('bench');

function bodyOf(typeUrl: string, resource: unknown): Body {
  const bytes = encodeBody(typeUrl, resource);
  return { typeUrl, bytes, hash: createHash('sha256').update(bytes).digest('hex') };
}

function clusterOf(index: number): Body {
  return bodyOf(CDS.typeUrl, {
    name: `c${index}`,
    type: 'EDS',
    edsClusterConfig: { edsConfig: { ads: {} } },
    outlierDetection: { interval: '10s', maxEjectionPercent: 10 },
    circuitBreakers: { thresholds: [{ maxRequests: 1024 }] },
  });
}

function endpointsOf(index: number, port = 80): Body {
  const lbEndpoints = Array.from({ length: endpointsPerCluster }, (_, at) => ({
    endpoint: {
      address: { socketAddress: { address: `10.${index >> 8}.${index & 255}.${at}`, portValue: port } },
    },
  }));
  return bodyOf(EDS.typeUrl, {
    clusterName: `c${index}`,
    endpoints: [{ locality: { region: 'eu', zone: 'eu-1' }, loadBalancingWeight: 1, lbEndpoints }],
  });
}

async function watch(work: () => Promise<unknown>): Promise<string> {
  const { tookMs, blockMs } = await watchLoop(work);
  return `${tookMs.toFixed(1)} ms, event loop blocked for ${blockMs.toFixed(1)} ms at most`;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const bodies = Array.from({ length: clusters }, (_, index) => [clusterOf(index), endpointsOf(index)]).flat();
const changed = endpointsOf(clusters / 2, 81);
const stored = new Map([...bodies, changed].map((body) => [body.hash, body]));
const validate = new Validator({ redactionKey, readBodies: async () => stored });

// The rules alone, on decoded JSON, warm.
const decoded = bodies.map(({ typeUrl, bytes }) => ({ typeUrl, json: decodeBody(typeUrl, bytes).json }));
for (const constraints of [undefined, readConstraints()]) {
  const validateAll = (): number =>
    decoded.reduce(
      (sum, { typeUrl, json }) => sum + validateResource(typeUrl, json, { constraints }).length,
      0,
    );
  validateAll();
  const startedAt = performance.now();
  validateAll();
  const name = constraints === undefined ? 'the rules of gRPC' : "all rules, and Envoy's constraints";
  print(
    `validate: ${bodies.length} decoded resources by ${name}: ${(performance.now() - startedAt).toFixed(1)} ms`,
  );
}
print(
  `validate: first judgement of ${bodies.length} bodies: ${await watch(() => validate.validateBodies(bodies))}`,
);
const next = bodies.map((body, at) => (at === clusters + 1 ? changed : body));
print(`validate: after one of them changed: ${await watch(() => validate.validateBodies(next))}`);
const { rss } = process.memoryUsage();
print(`validate: resident memory ${(rss / 1024 / 1024).toFixed(0)} MB`);
await validate.close();
