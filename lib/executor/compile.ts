/**
 * Makes one file of each program that drills start: an executor for each lab, and each lab's own children. A program
 * of its own, so that nobody else loads the compiler.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { projectRoot } from '../core/project-root.ts';
import type { Lab } from '../labs/contract.ts';
import { labs } from '../labs/registry.ts';
import { programsFolder, STAMP, sourcesStamp } from './programs.ts';

/** A file keeps saying where its source lies: the schemas are read from beside it. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]lib[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents: text, loader: 'ts' };
    });
  },
};

/** As `main.ts`, for one lab. */
function executor(lab: string, folder: string): string {
  const modules = ['commands', 'damage'].filter((name) => existsSync(join(folder, `${name}.ts`)));
  const loads = modules.map((name) => `${name}: () => import('./labs/${lab}/${name}.ts'),`);
  return `
    import { serveOne } from './executor/serve.ts';
    const modules = { ${loads.join(' ')} };
    void serveOne('${lab}', async (lab, module) => {
      if (lab !== '${lab}') throw new Error('this executor has the lab ${lab} alone');
      return modules[module]();
    });
  `;
}

async function compileProgram(lab: string, name: string, contents: string): Promise<void> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(projectRoot(), 'lib'), loader: 'ts' },
    bundle: true,
    // A program that is no module needs no loader of modules, which alone takes some milliseconds.
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: ['better-sqlite3'],
    plugins: [keepPlaces],
    write: false,
    logLevel: 'error',
  });
  put(join(lab, `${name}.cjs`), outputFiles[0]?.text ?? '');
}

/** In one move: a program that is started meanwhile is the old one or the new one. */
function put(name: string, text: string): void {
  const file = join(programsFolder(), name);
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

async function compileLab({ id: lab, children = [] }: Lab): Promise<void> {
  const folder = join(projectRoot(), 'lib', 'labs', lab);
  await compileProgram(lab, 'executor', executor(lab, folder));
  for (const child of children) {
    await compileProgram(lab, child.replace('.ts', ''), `import './labs/${lab}/${child}';`);
  }
}

const stamp = sourcesStamp();
await Promise.all(labs.map(compileLab));
put(STAMP, stamp);
