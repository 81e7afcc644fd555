import type { NewProbeSettings, NewSource } from '@/lib/api/schema';
import { BootstrapError } from '../bootstrap/bootstrap-error';
import { checkBootstrap, parseJson } from '../bootstrap/read-bootstrap';
import { assertNoTlsBeside, buildProbe } from '../config/build-probe';
import { type AllCredentials, chooseCredentials } from '../config/named-credentials';
import { SettingError } from '../config/setting-error';
import { sourceIdOf } from '../config/source-id';
import type { SourceSetup } from '../config/source-setup';
import { parseTarget, type Target } from '../dial/target';
import { noSecurity, type SecurityConfig } from '../grpc/channel-security';
import { defaultTls } from '../grpc/credentials-config';
import { usualNodeId } from '../istiod/debug-question';

/** What somebody asked for in the browser, or by API, ready to start. */
export interface ReadySource {
  readonly id: string;
  readonly kind: NewSource['kind'];
  readonly target: string;
  readonly setup: SourceSetup;
  /** Fields of its bootstrap that name files or unix sockets, and are ignored. */
  readonly ignored: readonly string[];
}

/**
 * Throws SettingError with the field of the request. Who asks chooses the servers, so files, sockets and variables of this
 * machine have no place in the request; credentials are those of the config file, by name (decision 0037).
 */
export function setUpSource(input: NewSource, credentials: AllCredentials = new Map()): ReadySource {
  switch (input.kind) {
    case 'csds':
      return setUpCsds(input, credentials);
    case 'envoy-admin':
      return setUpEnvoyAdmin(input);
    case 'istiod':
      return setUpIstiod(input, credentials);
    case 'ads':
      return setUpAds(input, credentials);
  }
}

/** The JSON of a bootstrap in a request. */
export function readBootstrapField(bootstrap: NonNullable<NewSource['bootstrap']>): unknown {
  if (typeof bootstrap !== 'string') return bootstrap;
  return asField('bootstrap', () => parseJson(bootstrap, 'the bootstrap'));
}

function setUpCsds({ target: text, bootstrap, settings = {} }: NewSource, all: AllCredentials): ReadySource {
  if (bootstrap !== undefined) {
    throw new SettingError('bootstrap', 'expected none for a CSDS source, got one');
  }
  const { tls, credentials, ...others } = settings;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new SettingError(
      `settings.${other}`,
      'expected tls or credentials alone for a CSDS source, got this beside it',
    );
  }
  const parsed = parseTarget(text ?? '');
  if (!parsed.ok) throw new SettingError('target', parsed.problem.message);
  const target = parsed.target.text;
  const security = secure({ tls, credentials }, [parsed.target], all) ?? noSecurity;
  const setup = { kind: 'csds', security } as const;
  return { id: sourceIdOf('csds', target), kind: 'csds', target, setup, ignored: [] };
}

function setUpIstiod(
  { target: text, bootstrap, settings = {} }: NewSource,
  all: AllCredentials,
): ReadySource {
  if (bootstrap !== undefined) throw new SettingError('bootstrap', 'expected none for an istiod, got one');
  const { tls, credentials, nodeId = usualNodeId, ...others } = settings;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new SettingError(
      `settings.${other}`,
      'expected tls or credentials, and nodeId, alone for an istiod, got this beside it',
    );
  }
  const parsed = parseTarget(text ?? '');
  if (!parsed.ok) throw new SettingError('target', parsed.problem.message);
  const target = parsed.target.text;
  const security = secure({ tls, credentials }, [parsed.target], all) ?? noSecurity;
  const setup = { kind: 'istiod', security, nodeId } as const;
  return { id: sourceIdOf('istiod', target), kind: 'istiod', target, setup, ignored: [] };
}

function setUpEnvoyAdmin({ target: text, bootstrap, settings = {} }: NewSource): ReadySource {
  if (bootstrap !== undefined) {
    throw new SettingError('bootstrap', "expected none for Envoy's admin interface, got one");
  }
  const [setting] = Object.keys(settings);
  if (setting !== undefined) {
    throw new SettingError(
      `settings.${setting}`,
      "expected no settings for Envoy's admin interface, got this",
    );
  }
  const parsed = parseTarget(text ?? '');
  if (!parsed.ok) throw new SettingError('target', parsed.problem.message);
  const target = parsed.target.text;
  const setup = { kind: 'envoy-admin' } as const;
  return { id: sourceIdOf('envoy-admin', target), kind: 'envoy-admin', target, setup, ignored: [] };
}

function setUpAds(
  { target: said, bootstrap: json, settings = {} }: NewSource,
  all: AllCredentials,
): ReadySource {
  const { tls, credentials, ...choices } = settings;
  if (choices.transport === 'file') {
    throw new SettingError(
      'settings.transport',
      'expected a transport that reaches a server, got "file": files are named in the config file alone',
    );
  }
  const ignored: string[] = [];
  const bootstrap =
    json === undefined
      ? undefined
      : asField('bootstrap', () => checkBootstrap(readBootstrapField(json), { ignored }));
  assertNoTlsBeside(bootstrap, tls, 'settings.tls');
  const {
    target,
    variant,
    node,
    settings: built,
  } = buildProbe(
    {
      target: said,
      bootstrap,
      settings: choices,
      secure: (servers) => secure({ tls, credentials }, servers, all),
    },
    'settings.',
  );
  const setup = { kind: 'ads', node, settings: built } as const;
  return { id: sourceIdOf('ads', target, variant), kind: 'ads', target, setup, ignored };
}

/** Undefined: nothing was said. Throws SettingError. */
function secure(
  { tls, credentials }: Pick<NewProbeSettings, 'tls' | 'credentials'>,
  servers: readonly Target[],
  all: AllCredentials,
): SecurityConfig | undefined {
  if (credentials !== undefined) {
    if (tls !== undefined)
      throw new SettingError('settings.tls', 'expected nothing beside credentials, got it');
    return chooseCredentials(credentials, servers, all, 'settings.credentials');
  }
  if (tls === undefined) return undefined;
  const { serverName } = tls;
  const named = serverName === undefined ? {} : { serverName };
  return { credentials: { ...defaultTls, ...named }, callCredentials: [] };
}

function asField<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BootstrapError) throw new SettingError(field, error.message);
    throw error;
  }
}
