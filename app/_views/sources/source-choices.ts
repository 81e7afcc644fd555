import { formOf, requestedKinds } from '@/lib/observation/source-kinds';
import type { CredentialsShown, NewSource } from '@/lib/views/sources/schema';
import type {
  ApiVersion,
  ErrorModel,
  ProbeMode,
  ProbeProfile,
  ProbeTransport,
} from '@/lib/xds/probe-choices';
import { grpcProfiles, nameOf } from '@/lib/xds/profile';
import type { DraftSecurity, DraftTransport } from './source-draft';

interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  /** One sentence. */
  readonly text: string;
}

export const kindChoices: readonly Choice<NewSource['kind']>[] = requestedKinds.map((kind) => {
  const { label, text } = formOf(kind);
  return { value: kind, label, text };
});

export const transportChoices: readonly Choice<ProbeTransport>[] = [
  {
    value: 'ads',
    label: 'ADS',
    text: 'One stream for all types, SotW. Used by gRPC clients.',
  },
  {
    value: 'delta-ads',
    label: 'Delta ADS',
    text: 'One stream for all types, incremental. Preferred by Envoy.',
  },
  {
    value: 'sotw',
    label: 'A stream for each type',
    text: 'Separate LDS, RDS, CDS and EDS streams, SotW.',
  },
  {
    value: 'delta',
    label: 'A delta stream for each type',
    text: 'Separate LDS, RDS, CDS and EDS streams, incremental.',
  },
  {
    value: 'rest',
    label: 'REST-JSON',
    text: 'Polls /v3/discovery:clusters and the other discovery endpoints over HTTP.',
  },
];

const asBootstrapSubscribes = {
  value: 'default',
  label: 'From the bootstrap',
  text: 'As the Envoy of the bootstrap subscribes. ADS for a gRPC client.',
} as const;

export function draftTransportChoices(isBootstrap: boolean): readonly Choice<DraftTransport>[] {
  return isBootstrap ? [asBootstrapSubscribes, ...transportChoices] : transportChoices;
}

export const apiVersionChoices: readonly Choice<ApiVersion>[] = [
  { value: 'v3', label: 'v3', text: 'Supported by all current control planes.' },
  { value: 'v2', label: 'v2', text: 'For control planes that only support envoy.api.v2.' },
];

export const modeChoices: readonly Choice<ProbeMode>[] = [
  {
    value: 'observe',
    label: 'Observe',
    text: 'ACKs everything, and reports findings. Never NACKs.',
  },
  {
    value: 'validate',
    label: 'Validate',
    text: 'NACKs the resources that a gRPC client would reject.',
  },
];

export const profileChoices: readonly Choice<ProbeProfile>[] = [
  { value: 'core', label: 'C-core', text: 'The newest rules of gRPC in C++, Python, Ruby and others.' },
  { value: 'go', label: 'Go', text: 'The newest rules of grpc-go.' },
  { value: 'java', label: 'Java', text: 'The newest rules of grpc-java.' },
  { value: 'node', label: 'Node', text: 'The newest rules of grpc-js-xds.' },
  ...grpcProfiles.map((value) => ({
    value,
    label: nameOf(value),
    text: `The rules of ${nameOf(value)}.`,
  })),
];

export const errorModelChoices: readonly Choice<ErrorModel>[] = [
  {
    value: 'pre-a88',
    label: 'Before gRFC A88',
    text: 'A resource that the server deletes is dropped at once.',
  },
  { value: 'a88', label: 'gRFC A88', text: 'A deleted resource stays in use with an error.' },
];

const plain = {
  value: 'plain',
  label: 'Plain text',
  text: 'No encryption.',
} as const;
const tls = {
  value: 'tls',
  label: 'TLS',
  text: 'The certificate must be signed by a CA of the system.',
} as const;
const asBootstrap = {
  value: 'plain',
  label: 'From the bootstrap',
  text: 'Plain text, or TLS with the CAs of the bootstrap or of the system. Files that it names are ignored.',
} as const;

/** Credentials are defined in the config file and chosen by name. `hasServers`: a bootstrap names the servers. */
export function securityChoices(
  credentials: readonly CredentialsShown[],
  hasServers: boolean,
): readonly Choice<DraftSecurity>[] {
  return [
    ...(hasServers ? [asBootstrap] : [plain, tls]),
    ...credentials.map(({ name, targets }) => ({
      value: `credentials:${name}` as const,
      label: `Credentials: ${name}`,
      text:
        targets.length === 0
          ? 'The config file allows no target for these credentials.'
          : `From the config file, for ${targets.join(', ')}.`,
    })),
  ];
}

export function labelOf<T extends string>(choices: readonly Choice<T>[], value: T): string {
  return choices.find((choice) => choice.value === value)?.label ?? value;
}
