import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { context } from 'esbuild';

/**
 * Builds a server and starts it; after each change of a source, builds it again and restarts it. A build that
 * fails leaves the running server unchanged; esbuild prints the errors.
 * `build` are options of esbuild, `args` arguments of node. `onExit` is called with the exit code when the
 * server ended by itself. Resolves after the first build to a function that ends the watching and the server.
 */
export async function runWithReload({ build, args, env, onBuildFailed, onExit }) {
  let server;
  let isStopping = false;
  let isEnding = false;
  let turn = Promise.resolve();

  function start() {
    // Ctrl-C signals every process of the terminal's group, so the server is in a group of its own, and gets
    // one signal. It ends when the channel closes.
    const started = spawn(process.execPath, args, {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      detached: true,
      env,
    });
    server = started;
    started.once('exit', (code) => {
      server = undefined;
      if (!isStopping) onExit(code);
    });
  }

  async function stop() {
    if (server === undefined) return;
    isStopping = true;
    server.kill('SIGTERM');
    await once(server, 'exit');
    isStopping = false;
  }

  const restart = {
    name: 'restart',
    setup({ onEnd }) {
      onEnd(({ errors }) => {
        if (errors.length > 0) {
          onBuildFailed();
          return;
        }
        turn = turn.then(async () => {
          await stop();
          if (!isEnding) start();
        });
      });
    },
  };
  const watched = await context({ ...build, plugins: [restart] });
  await watched.watch();
  process.on('exit', () => server?.kill('SIGKILL'));

  return async () => {
    isEnding = true;
    await watched.dispose();
    await turn;
    await stop();
  };
}
