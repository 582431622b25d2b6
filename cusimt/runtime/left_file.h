// What a process leaves for the one that collects findings: a file in the folder that CUSIMT_FINDINGS names, which
// cusimt/programs/child_findings.py reads. It is written as findings are made, because a process may end at any instant and in
// many ways (abort, _exit, a signal, another program in its place), and runs no code of ours in most of them.
//
// The process holds a lock on its file for as long as it lives; the lock dies with it. So the reader knows which files are whole.
#pragma once
#include <sys/types.h>

#include <string>

namespace simt {

class LeftFile {
  public:
    static bool is_wanted();
    bool append(const std::string& lines);  // false: there is no file yet
    void replace(const std::string& lines);
    void remove();
    void abandon();  // in a forked child: the file is its parent's

  private:
    bool is_open() const;
    bool open();
    void write(const std::string& lines);

    int descriptor_ = -1;
    dev_t device_ = 0;
    ino_t file_ = 0;
    off_t end_ = 0;
    std::string path_;
};

}  // namespace simt
