// Writes the file of findings that a process leaves.
#include "left_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace simt {

namespace {
const char* wanted_folder() {
    const char* folder = getenv("CUSIMT_FINDINGS");
    return folder && *folder ? folder : nullptr;
}
}  // namespace

bool LeftFile::is_wanted() { return wanted_folder(); }

// A program may close every descriptor that it does not know, and open a file of its own with the same number.
bool LeftFile::is_open() const {
    struct stat found{};
    return descriptor_ >= 0 && fstat(descriptor_, &found) == 0 && found.st_dev == device_ && found.st_ino == file_;
}

// The time is part of the name, because a process number may be used again: by another process, or by the next program of the
// same one.
bool LeftFile::open() {
    const char* folder = wanted_folder();
    if (!folder) return false;
    if (!path_.empty()) unlink(path_.c_str());
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    std::string time = std::to_string(now.tv_sec * 1'000'000'000ll + now.tv_nsec);
    path_ = std::string(folder) + "/" + std::to_string(getpid()) + "." + time + ".jsonl";
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct stat made{};
    if (descriptor_ < 0 || fstat(descriptor_, &made) != 0) return false;
    device_ = made.st_dev;
    file_ = made.st_ino;
    struct flock whole{};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    fcntl(descriptor_, F_SETLK, &whole);
    return true;
}

void LeftFile::write(const std::string& lines) {
    ssize_t written = pwrite(descriptor_, lines.data(), lines.size(), end_);
    if (written > 0) end_ += written;
}

bool LeftFile::append(const std::string& lines) {
    if (!is_open()) return false;
    write(lines);
    return true;
}

void LeftFile::replace(const std::string& lines) {
    if (!is_open() && !open()) return;
    end_ = 0;
    write(lines);
    if (ftruncate(descriptor_, end_) != 0) return;  // what is behind is no whole line, which the reader leaves out
}

void LeftFile::remove() {
    if (!path_.empty()) unlink(path_.c_str());
    abandon();
}

void LeftFile::abandon() {
    if (is_open()) close(descriptor_);
    descriptor_ = -1;
    path_.clear();
}

}  // namespace simt
