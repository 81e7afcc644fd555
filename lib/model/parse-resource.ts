import { CDS, ECDS, EDS, LDS, normaliseTypeUrl, RDS, SDS, SRDS, VHDS } from '../xds/resource-type';
import { type BootstrapModel, bootstrapTypeUrl, readBootstrap } from './bootstrap';
import { type ClusterModel, readCluster } from './cluster';
import { type EmbeddedReference, readEmbeddedReferences } from './embedded-references';
import { type EndpointsModel, readLoadAssignment } from './endpoints';
import { type ExtensionModel, readExtension } from './extension';
import { FieldReader } from './field-reader';
import { type HostHealthModel, hostHealthTypeUrl, readHostHealth } from './host-health';
import { type ListenerModel, readListener } from './listener';
import type { RouteConfigModel, ScopedRouteConfigModel, VirtualHostModel } from './route-config';
import { readRouteTable, readScopedRouteConfig, readVirtualHost } from './route-config';

/** A type without a model. */
interface OtherModel {
  readonly kind: 'other';
}

type ResourceContent =
  | ListenerModel
  | RouteConfigModel
  | VirtualHostModel
  | ScopedRouteConfigModel
  | ClusterModel
  | EndpointsModel
  | SecretModel
  | HostHealthModel
  | BootstrapModel
  | ({ readonly kind: 'extension' } & ExtensionModel)
  | OtherModel;

/** The parts of a resource that views need. Everything else is only in the body. */
export type ResourceModel = ResourceContent & {
  readonly typeUrl: string;
  /** The name inside the body. CSDS can report the resource under another name. */
  readonly name: string;
  /** Fields that could not be read, each with path, expected and actual type. Empty for a well-formed body. */
  readonly notes: readonly string[];
  readonly embedded: readonly EmbeddedReference[];
};

/** `json` is proto3 JSON with camelCase names. Never throws: a field of the wrong type is absent and noted. */
export function parseResource(typeUrl: string, json: unknown): ResourceModel {
  const notes: string[] = [];
  const body = FieldReader.open(json, notes);
  const content = readContent(normaliseTypeUrl(typeUrl), body);
  const name = body.string(content.kind === 'endpoints' ? 'clusterName' : 'name');
  const embedded = content.kind === 'endpoints' ? [] : readEmbeddedReferences(json);
  return { ...content, typeUrl: normaliseTypeUrl(typeUrl), name, notes, embedded };
}

function readContent(typeUrl: string, body: FieldReader): ResourceContent {
  switch (typeUrl) {
    case LDS.typeUrl:
      return readListener(body);
    case RDS.typeUrl:
      return { kind: 'route-config', ...readRouteTable(body) };
    case SRDS.typeUrl:
      return readScopedRouteConfig(body);
    case VHDS.typeUrl:
      return { kind: 'virtual-host', virtualHost: readVirtualHost(body) };
    case CDS.typeUrl:
      return readCluster(body);
    case EDS.typeUrl:
      return { kind: 'endpoints', ...readLoadAssignment(body) };
    case SDS.typeUrl:
      return readSecret(body);
    case ECDS.typeUrl:
      return { kind: 'extension', ...readExtension(body) };
    case hostHealthTypeUrl:
      return readHostHealth(body);
    case bootstrapTypeUrl:
      return readBootstrap(body);
    default:
      return { kind: 'other' };
  }
}

/** An SDS resource. Secret values are redacted before storage and not read here. */
interface SecretModel {
  readonly kind: 'secret';
  /** The formatted description of its content; empty if the kind is unknown. */
  readonly holds: string;
}

const kinds: readonly (readonly [field: string, words: string])[] = [
  ['tlsCertificate', 'TLS certificate'],
  ['validationContext', 'validation context'],
  ['sessionTicketKeys', 'session ticket keys'],
  ['genericSecret', 'generic secret'],
];

function readSecret(secret: FieldReader): SecretModel {
  return { kind: 'secret', holds: kinds.find(([field]) => secret.has(field))?.[1] ?? '' };
}
