import { describe, expect, it } from 'vitest'
import { readCommand } from './read-command.ts'
import { readPowerShell } from './read-powershell.ts'

const place = { cwd: '/w', home: '/home/u' }
const sessionsIn = (command: string) => readCommand(command, place).sessions

describe('a command into which the agent can type more commands', () => {
  it.each(
    `
    bash
    sh -i
    /bin/bash
    bash -l
    bash -x
    bash --norc
    bash -o pipefail
    bash --rcfile rc
    bash -s
    bash -s -- a b
    bash -
    bash /dev/stdin
    bash </dev/tty
    bash <&0
    zsh
    fish
    dash
    $SHELL/bin/zsh
    pwsh
    python3
    python3.12
    python3 -
    python3 -u
    python3 -i x.py
    python3 -i -c 'x = 1'
    python3 -m pdb x.py
    python3 -m code
    ipython
    node
    node -
    node -i
    node -e 0 -i
    node inspect x.js
    node --input-type=module
    deno
    deno repl
    deno run -
    bun repl
    tsx
    npx tsx
    ruby
    irb
    pry
    perl
    perl -de1
    php -a
    lua
    R --vanilla
    julia
    ghci
    iex
    erl
    scala
    jshell
    bc
    gdb ./a.out
    gdb
    lldb ./a.out
    psql
    psql -h db -U app shop
    psql -dcrm
    psql -f -
    mysql -psecret shop
    sqlite3 a.db
    redis-cli
    mongosh shop
    ssh host
    ssh -p 22 -i key user@host
    ssh host bash
    ssh -t host 'bash -l'
    sftp host
    telnet host 25
    docker exec -it web bash
    docker compose exec -it web sh
    docker run --rm -it alpine sh
    kubectl exec -it pod -- /bin/bash
    tmux
    tmux new -s work
    tmux attach -d
    screen
    screen -r
    su
    su - app
    sudo -i
    sudo -s
    sudo su -
    sudo -u app bash
    env bash
    env -i PATH=/bin bash --norc
    env -S bash
    nohup bash
    exec bash
    exec -a x sh
    command bash
    timeout 600 bash
    nice -n 5 python3
    setsid bash
    stdbuf -oL python3
    time bash
    script -q /dev/null bash
    script
    script -c bash log
    rlwrap sqlite3 a.db
    unshare
    chroot /mnt
    uv run python
    poetry run python
    poetry shell
    nix-shell -p jq
    vim a.txt
    ed a.txt
    nano a.txt
    less a.txt
    cd src && bash
    ls; python3
    make && bash || true
    (bash)
    { bash; }
    if true; then bash; fi
    while true; do bash; done
    f() { bash; }; f
    bash -c bash
    bash -c 'cd src; python3'
    sh -c "exec bash"
    eval bash
    eval "python3 -i"
    x=$(bash)
    cat | bash
    bash | tee log
    bash 2>&1
    bash > out.txt
    bash -i >& out.txt
    alias x=bash; x
    echo bash > x.sh; sh x.sh
    source /dev/stdin
    . /dev/stdin
    read line; eval "$line"
    while read -r line; do $line; done
    xargs -I{} sh -c '{}'
    find . -maxdepth 0 -exec bash \\;
    B=bash; $B
    busybox sh
    socat - EXEC:bash
    $SHELL
    "$SHELL"
    exec $SHELL -l
    \${SHELL:-/bin/sh}
    sudo $BASH
    $0
    $(which bash)
    \`command -v python3\` -i
    env - bash
    bash +x
    bash /dev/pts/3
    bash /proc/$$/fd/0
    bash </dev/console
    exec 3<&0; bash <&3
    bash 3<&0 <&3
    exec 4<&0; python3 /dev/fd/4
    bash <&1
    bash -c "$(cat)"
    eval "$(cat -)"
    bash <(cat)
    head -n 1 | bash
    tee x.sh | sh
    dd of=x.sh; sh x.sh
    cat /dev/stdin > x.sh
    npx -c bash
    flock /tmp/lock -c bash
    trap bash EXIT
    vim x
    vim -- q
    pwsh -NoExit -Command ls
    pwsh -Command -
    cmd /k
    cmd.exe /K dir
    deno run /dev/stdin
    Rscript -
    ksh93
    docker run -it ubuntu
    docker run -it --name x -e A=1 ubuntu
    docker run --interactive --tty ubuntu
    docker compose exec web bash
    docker-compose run --rm web sh
    kubectl run -it x --image=y
    kubectl attach -it pod
    kubectl debug -it node/x --image=busybox
    oc rsh pod
    lxc exec box -- bash
    nsenter -t 1 -a bash
    pkexec bash
    systemd-run --pty bash
    systemd-run -S
    ssh host 'cd app && bash'
    ssh -T host
    expect -c 'spawn sh; interact'
    python manage.py shell
    ./manage.py dbshell
    php artisan tinker
    flask shell
    heroku run bash
    aws ssm start-session --target i-1
    gcloud compute ssh vm
    fly ssh console
    stack ghci
    cabal repl
    sbt
    sbt console
    spark-shell
    pgcli
    mysqlsh
    osascript -i
    swipl
    jupyter console
    wsl
    make -f -
    crontab -
    crontab -e
    bash -s -- --help
    docker run -it --entrypoint bash ubuntu
    at now
  `
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  )('is found: %s', (command) => {
    expect(sessionsIn(command)).not.toEqual([])
  })

  it.each(
    `
    bash script.sh
    bash ./script.sh -i
    sh -c 'ls -la'
    bash -lc 'npm test'
    bash -ic 'nvm use 20'
    bash -c 'echo $0' x
    bash --version
    bash -n script.sh
    bash -x script.sh
    bash < script.sh
    bash <<< 'ls'
    echo x | bash
    curl -fsSL https://example.com/i.sh | sh
    printf 'ls\\n' | sh -s
    bash <(echo ls)
    bash -s < x.sh
    /dev/null < bash
    python3 -c 'print(1)'
    python3 -c 'print(1)' -i
    python3 x.py
    python3 x.py -i
    python3 -m pytest -x
    python3 -m pytest -i
    python3 -m http.server
    python3 -u x.py
    python3 -W ignore x.py
    python3 --version
    python3 -V
    python3 - < x.py
    echo 'print(1)' | python3
    echo 'print(1)' | python3 -
    python3 < x.py
    python manage.py migrate
    node x.js
    node -e 'console.log(1)'
    node -pe 1+1
    node -p process.version
    node --test
    node --check x.js
    node --import tsx x.ts
    node -v
    echo 1 | node
    deno run x.ts
    deno test
    bun test
    bun run build
    npx tsx x.ts
    npx vitest run
    tsx x.ts
    ruby x.rb
    ruby -e 'puts 1'
    perl -pe 's/a/b/' x
    perl -i -pe 's/a/b/' x
    perl x.pl
    php x.php
    php -r 'echo 1;'
    php artisan migrate
    Rscript x.R
    R -e 'x'
    julia x.jl
    gdb -batch -ex bt ./a.out
    lldb --batch -o bt a.out
    psql -c 'select 1'
    psql shop -c 'select 1'
    psql -U app -f x.sql
    psql -l
    psql shop < dump.sql
    echo 'select 1' | psql
    pg_dump shop
    mysql -psecret -e 'select 1' shop
    mysql shop < x.sql
    sqlite3 a.db 'select 1'
    sqlite3 a.db .tables
    sqlite3 -json a.db 'select 1'
    redis-cli get x
    mongosh --eval 'db.x.find()'
    mongosh shop x.js
    ssh host uptime
    ssh -p 22 host 'cd app && git pull'
    ssh host bash -s < x.sh
    ssh -N -L 1:localhost:2 host
    scp a host:b
    rsync -a a host:b
    docker exec web ls
    docker exec -it web ls
    docker exec -i db psql -U app < dump.sql
    docker run --rm -v x:/x node node x.js
    docker compose up -d
    docker ps
    kubectl get pods
    kubectl exec pod -- sh -c ls
    tmux ls
    tmux new -d -s work 'npm test'
    tmux kill-session -t work
    screen -ls
    sudo apt-get install -y python3
    sudo -u app node x.js
    sudo -n true
    env
    env A=1 node x.js
    nohup node x.js > log 2>&1
    exec node x.js
    exec > log
    timeout 5 python3 x.py
    time npm test
    xargs -n1 echo < list
    find . -name '*.ts' | xargs grep x
    ls | parallel echo
    which bash
    type python3
    command -v node
    man bash
    apt-get install python3
    npm install node
    pkill node
    git commit -m bash
    git log | less
    cat bash
    echo bash
    grep -r python3 .
    cd node
    ls; cd node && npm test
    make
    npm test
    npm run dev
    npm init -y
    cargo run
    go test ./...
    script -c 'npm test' log
    vim -es -c '%s/a/b/g' -c wq a.txt
    nvim --headless +q
    emacs --batch -l x.el
    ed -s a.txt < x.ed
    echo '1+1' | bc
    cat a | while read -r line; do echo "$line"; done
    while read -r line; do echo "$line"; done < a
    while read -r line; do echo "$line"; done < <(ls)
    read -r version < VERSION
    for f in *.sh; do bash "$f"; done
    bash "$SCRIPT"
    f() { bash; }; echo x | f
    source .env
    . ./venv/bin/activate && python x.py
    poetry run pytest
    uv run pytest
    uv run x.py
    pipenv install
    crontab -l
    su app -c 'ls'
    nix-shell --run make
    $SHELL -c 'ls'
    $SHELL x.sh
    echo $SHELL
    $(which node) x.js
    $(npm bin)/eslint .
    env - PATH=/bin ls
    bash +x x.sh
    exec 3< list; while read -r line; do echo "$line"; done <&3
    cat a.txt
    cat a.txt | head -n 3
    head -5 a.txt
    tail -f a.log
    ls | cat
    ls | tee log
    ls 2>&1 | tee -a log
    dd if=/dev/zero of=x count=1
    echo "$(cat a.txt)"
    cat "$FILE"
    npx -c 'tsc -p .'
    flock /tmp/lock -c 'npm test'
    flock -n /tmp/lock npm test
    trap 'rm -f x' EXIT
    vim -c wq x
    vim +q x
    pwsh -NoProfile -Command ls
    cmd /c dir
    Rscript x.R
    docker run --rm alpine
    docker run -d -it --name x ubuntu
    docker run -it --rm -v "$PWD":/w -w /w node:20 npm test
    docker run -i alpine cat x
    docker compose run --rm web npm test
    docker compose exec -T web ls bash
    docker compose up web
    kubectl run x --image=y
    kubectl logs pod
    oc get pods
    lxc list
    nsenter -t 1 -m ls
    pkexec ls
    systemd-run --user npm start
    ssh host 'cd app && ls; echo bash'
    ssh -T git@github.com
    expect -c 'spawn ls; expect eof'
    expect x.exp
    python manage.py shell -c 'print(1)'
    python manage.py shell < x.py
    php artisan tinker --execute 'echo 1;'
    flask run
    heroku logs
    aws s3 ls
    gcloud compute ssh vm --command ls
    stack build
    cabal test
    sbt test
    pgcli --help
    mysqlsh -e 'select 1'
    osascript -e 'beep'
    swipl -g main -t halt x.pl
    jupyter nbconvert x.ipynb
    wsl ls
    dc -e '1 1 + p'
    less -V
    make -f x.mk -j4 all
    make -C src
    crontab jobs
    docker exec -it web bash --version
    git commit -m "$(git log -1 --format=%s | cat)"
    rails server
    swift build
  `
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  )('is not: %s', (command) => {
    expect(sessionsIn(command)).toEqual([])
  })

  it.each([
    "bash <<'END'\nls\nEND",
    "python3 - <<'END'\nprint(1)\nEND",
    'psql <<END\nselect 1;\nEND',
    "node <<'E'\n1\nE",
  ])('does not count with a here-document: %j', (command) => {
    expect(sessionsIn(command)).toEqual([])
  })

  it('is reported as it would be started', () => {
    expect(sessionsIn('cd src && sudo -u app bash --norc')).toEqual(['bash --norc'])
  })

  it('is found in plain PowerShell commands', () => {
    const found = (command: string) => readPowerShell(command, place).sessions
    expect(['python', 'cd x; node', 'ssh host', 'pwsh'].map(found)).not.toContainEqual([])
    for (const command of ['python x.py', "'1' | node", 'node -e 1', 'npm test', 'pwsh -Command ls'])
      expect(found(command), command).toEqual([])
  })
})
