import { FieldReader } from '../model/field-reader';
import { withRuntime } from '../model/runtime';
import type { ResourceKey } from '../observation/resource-state';
import { type DynamicMetadata, noMetadata } from '../requests/metadata';
import { type ExplainRequest, type FindHeader, headersOf, isGrpcRequest } from '../requests/request';
import type { ListenerConfig } from '../resolve/resolve-listener';
import type { ClusterEntry, UsedResource } from '../resolve/xds-config';
import { clientOf, type Profile } from '../xds/profile';
import { codeOfHttpStatus } from '../xds/status-code';
import type { Branch, Outcome, Step, StepResource } from './trace';

export interface ExplainConfig {
  readonly listener: ListenerConfig;
  /** The proto3 JSON of a resource in use; undefined if it is not known. */
  readonly jsonOf: (key: ResourceKey) => unknown;
  readonly findCluster: (name: string) => ClusterEntry;
}

/** MUTABLE: collects the steps of one request. */
export class TraceBuilder {
  readonly config: ExplainConfig;
  readonly profile: Profile;
  readonly isEnvoy: boolean;
  readonly steps: Step[] = [];
  /** The content type of the request is that of gRPC. */
  readonly isGrpc: boolean;
  request: ExplainRequest;
  find: FindHeader;
  /** The dynamic metadata of the request, which filters set. */
  metadata: DynamicMetadata = noMetadata;
  /** What the outcome has of the steps so far. */
  reached: Pick<Outcome, 'listener' | 'filterChain' | 'virtualHost' | 'route' | 'cluster'> = {};

  constructor(config: ExplainConfig, request: ExplainRequest, profile: Profile) {
    const { jsonOf, listener } = config;
    this.config = { ...config, jsonOf: (key) => withRuntime(jsonOf(key), listener.runtime) };
    this.profile = profile;
    this.isEnvoy = clientOf(profile) === 'envoy';
    this.request = request;
    this.find = headersOf(request, profile);
    this.isGrpc = isGrpcRequest(this.find);
  }

  add(step: Step): void {
    this.steps.push(step);
  }

  openResource(used: UsedResource | undefined): FieldReader | undefined {
    const json = used === undefined ? undefined : this.config.jsonOf(used);
    return json === undefined ? undefined : FieldReader.open(json, []);
  }

  noRoute(text: string): Branch {
    return this.failed(text, this.isEnvoy ? { status: 404, flag: 'NR' } : { grpcCode: 'UNAVAILABLE' });
  }

  failed(text: string, answer: Pick<Outcome, 'status' | 'grpcCode' | 'flag'>): Branch {
    return { kind: 'failed', when: '', text, ...this.#asSent(answer), ...this.reached };
  }

  answered(text: string, answer: Pick<Outcome, 'status' | 'location'>): Branch {
    return { kind: 'answered', when: '', text, ...this.#asSent(answer), ...this.reached };
  }

  /** The codec answers, to which a gRPC request is one like any other. */
  rejected(text: string, status: number): Branch {
    return { kind: 'answered', when: '', text, status, ...this.reached };
  }

  /** Measured: Envoy itself answers a gRPC request with status 200 and a gRPC status. */
  #asSent<T extends Pick<Outcome, 'status' | 'grpcCode'>>(answer: T): T {
    const { status, grpcCode } = answer;
    if (!this.isEnvoy || !this.isGrpc || status === undefined || grpcCode !== undefined) return answer;
    return { ...answer, status: 200, grpcCode: codeOfHttpStatus(status) };
  }

  unknown(text: string): Branch {
    return { kind: 'unknown', when: '', text, ...this.reached };
  }
}

export function resourceOf(used: UsedResource | undefined): StepResource | undefined {
  if (used === undefined) return undefined;
  const { typeUrl, name, versionInfo, hash } = used;
  return { typeUrl, name, versionInfo, ...(hash !== undefined && { hash }) };
}

/** `when` and `percent` are those of a fork before the branch. */
export function joinCondition(
  { percent: own, ...branch }: Branch,
  when: string,
  percent: number | undefined,
): Branch {
  const joined = branch.when === '' ? percent : multiplyShares(percent, own);
  const text = [when, branch.when].filter((each) => each !== '').join('; ');
  return { ...branch, when: text, ...(joined !== undefined && { percent: joined }) };
}

/** In per cent; undefined if one of them is not known. */
export function multiplyShares(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : (one * other) / 100;
}

export function splitAddress(address: string): { address: string; port: number | undefined } {
  const [, host = address, port] = /^(.*):(\d+)$/.exec(address) ?? [];
  return { address: host.replace(/^\[(.*)\]$/, '$1'), port: port === undefined ? undefined : Number(port) };
}

/** Returns the value at a path such as "filterChains[0].filters[1].typedConfig"; the whole value for ''. */
export function jsonAt(json: unknown, path: string): unknown {
  let value = json;
  for (const [key] of path.matchAll(/[^.[\]]+/g)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}
