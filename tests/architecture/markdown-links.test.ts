import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '@/server/project-root';

function listFiles(...patterns: readonly string[]): string[] {
  const options = ['--cached', '--others', '--exclude-standard'];
  const output = execFileSync('git', ['ls-files', ...options, ...patterns], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  return output.split('\n').filter((file) => file !== '' && existsSync(path.join(projectRoot, file)));
}

const files = listFiles('*.md');
const sources = listFiles('*.ts', '*.tsx');

/** The id that GitHub gives to a heading. */
function slugOf(heading: string): string {
  const text = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return text.trim().replaceAll(/\s/g, '-');
}

function headingsOf(file: string): string[] {
  const text = readFileSync(path.join(projectRoot, file), 'utf8').replaceAll(/^```.*?^```/gms, '');
  return [...text.matchAll(/^#+\s+(.*)$/gm)].map(([, heading = '']) => slugOf(heading));
}

/** The problems of a file's links to files of the project and to their headings. */
function findBrokenLinks(file: string): string[] {
  const text = readFileSync(path.join(projectRoot, file), 'utf8').replaceAll(/^```.*?^```|`[^`\n]*`/gms, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [target = '', heading = ''] = link.split('#');
    const linked = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
    if (!existsSync(path.join(projectRoot, linked))) return [`${file}: ${link}: no such file`];
    if (heading === '' || headingsOf(linked).includes(heading)) return [];
    return [`${file}: ${link}: no such heading`];
  });
}

it('every link in a Markdown file leads to a file and a heading of the project', () => {
  expect(files).toContain('README.md');
  expect(files.flatMap(findBrokenLinks)).toEqual([]);
});

/** Names in backticks, such as `threads/source-outbox.ts`, that are not the end of the path of any file. */
function findStaleNames(file: string): string[] {
  const text = readFileSync(path.join(projectRoot, file), 'utf8');
  return [...text.matchAll(/`([\w./()[\]-]+\.tsx?)`/g)].flatMap(([, name = '']) => {
    const isThere = sources.some((source) => source === name || source.endsWith(`/${name}`));
    return isThere ? [] : [`${file}: ${name}`];
  });
}

it('every source file that a Markdown file names is there', () => {
  expect(files.flatMap(findStaleNames)).toEqual([]);
});

it.each(['app', 'lib', 'server', 'protos', 'public', 'tests'])('%s has a README', (folder) => {
  expect(files).toContain(`${folder}/README.md`);
});
