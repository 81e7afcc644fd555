import type { Source } from '@/lib/api/schema';
import type { SourceSetup } from '../config/source-setup';
import type { Target } from '../dial/target';
import type { ServerConfig } from '../xds/stream/server-config';

/** Did whoever starts xdscope name it? What is added by API, or by a kind of origin that comes later, is not named. */
export function isNamedBy(origin: Source['origin']): boolean {
  switch (origin) {
    case 'flag':
    case 'environment':
    case 'config':
    case 'lab':
    // Lists are declared by flags and the config file alone.
    case 'list':
      return true;
    default:
      return false;
  }
}

/** Every target in the setup as one that a flag, the environment or the config file names. */
export function nameTargets(setup: SourceSetup): SourceSetup {
  switch (setup.kind) {
    case 'csds-list':
      return setup.from.kind === 'dns'
        ? { ...setup, from: { ...setup.from, target: named(setup.from.target) } }
        : setup;
    case 'tap':
      return { ...setup, settings: { ...setup.settings, upstream: named(setup.settings.upstream) } };
    case 'ads': {
      const { servers, authorities } = setup.settings;
      const settings = {
        ...setup.settings,
        servers: servers.map(namedServer),
        authorities: new Map(
          [...authorities].map(([name, authority]) => [
            name,
            { ...authority, servers: authority.servers.map(namedServer) },
          ]),
        ),
      };
      return { ...setup, settings };
    }
    default:
      return setup;
  }
}

function namedServer(server: ServerConfig): ServerConfig {
  return { ...server, target: named(server.target) };
}

function named(target: Target): Target {
  return { ...target, isNamed: true };
}
