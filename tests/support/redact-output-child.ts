import { Worker } from 'node:worker_threads';
import { redactOutput } from '@/server/redact-output';

/** Prints a secret in one way. argv: the way, the secret. */
const [way = '', secret = ''] = process.argv.slice(2);
const text = `before ${secret} after`;
redactOutput();

const ways: Readonly<Record<string, () => unknown>> = {
  stdout: () => process.stdout.write(`${text}\n`),
  stderr: () => process.stderr.write(`${text}\n`),
  bytes: () => process.stdout.write(Buffer.from(`${text} \u2713\n`)),
  warning: () => process.emitWarning(text),
  thread: () => new Worker(`console.log(${JSON.stringify(text)})`, { eval: true }),
  'uncaught error': () => {
    throw new Error(text);
  },
  rejection: () => Promise.reject(new Error(text)),
  harmless: () =>
    process.stdout.write(Buffer.from('gr\u00fcn \u2713\n'), () => process.stdout.write('written\n')),
};
ways[way]?.();
